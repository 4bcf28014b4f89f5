/**
 * Extra specs in the scope `capabilities:`, and unscoped ones that name something a host has, must be met by the host.
 * A path (`capabilities:cpu_info:features`) walks into structures. Values are compared as upstream prints them, so that
 * flavors written for it select the same hosts.
 */
import { meets } from '../extra-spec-operators';
import type { HostView } from '../types';
import { defineFilter } from './filter';

/** Names that flavors may use, as upstream's host state has them. Memory in MiB, disk as named. */
const ATTRIBUTES: Readonly<Record<string, (h: HostView) => unknown>> = {
  host: (h) => h.host,
  nodename: (h) => h.node,
  hypervisor_hostname: (h) => h.node,
  uuid: (h) => h.nodeId,
  host_ip: (h) => h.hostIp,
  hypervisor_type: (h) => h.hypervisorType,
  hypervisor_version: (h) => h.hypervisorVersion,
  cpu_info: (h) => h.cpuInfo,
  supported_instances: (h) => h.supportedInstances,
  vcpus_total: (h) => h.vcpus,
  vcpus_used: (h) => h.vcpusUsed,
  total_usable_ram_mb: (h) => h.memoryMb,
  free_ram_mb: (h) => h.memoryMb - h.memoryMbUsed,
  total_usable_disk_gb: (h) => h.diskGb,
  free_disk_mb: (h) => (h.diskGb - h.diskGbUsed) * 1024,
  disk_mb_used: (h) => h.diskGbUsed * 1024,
  num_instances: (h) => h.runningGuests,
  num_io_ops: (h) => h.ioOps,
  failed_builds: (h) => h.failedBuilds,
};

export const computeCapabilitiesFilter = defineFilter({
  name: 'ComputeCapabilitiesFilter',
  codes: {
    'capabilities.missing': 'without a capability that the flavor names',
    'capabilities.mismatch': 'with a capability that does not match the flavor',
  },
  check(host, { flavor }, _options, reject) {
    for (const [key, requirement] of requirements(flavor.extraSpecs, host)) {
      const value = lookUp(host, key);
      const name = key.join(':');
      if (value === null || value === undefined) {
        return reject(
          'capabilities.missing',
          null,
          `${name} ${requirement}`,
          `${host.host} has no ${name}; flavor ${flavor.name} wants ${requirement}.`,
        );
      }
      const text = print(value);
      if (!meets(text, requirement)) {
        const sentence = `${host.host} has ${name} ${shorten(text)}; flavor ${flavor.name} wants ${requirement}.`;
        return reject('capabilities.mismatch', shorten(text), `${name} ${requirement}`, sentence);
      }
    }
    return null;
  },
});

function* requirements(
  extraSpecs: Readonly<Record<string, string>>,
  { capabilities }: HostView,
): Generator<[path: string[], requirement: string]> {
  const has = (name: string): boolean => Object.hasOwn(ATTRIBUTES, name) || Object.hasOwn(capabilities, name);
  for (const [key, requirement] of Object.entries(extraSpecs)) {
    if (key === 'hw:maxphysaddr_bits') yield [['cpu_info', 'maxphysaddr', 'bits'], `>= ${requirement}`];
    const path = key.split(':');
    if (path.length === 1 ? has(key) : path.shift() === 'capabilities') yield [path, requirement];
  }
}

function lookUp(host: HostView, [first = '', ...rest]: string[]): unknown {
  let value: unknown = Object.hasOwn(ATTRIBUTES, first) ? ATTRIBUTES[first]?.(host) : host.capabilities[first];
  for (const step of rest) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : null;
  }
  return value;
}

/** A value as Python's str() writes it, which is what operators wrote their flavors against. */
function print(value: unknown, nested = false): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return nested ? quote(value) : value;
  if (Array.isArray(value)) return `[${value.map((v) => print(v, true)).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([k, v]) => `${quote(k)}: ${print(v, true)}`)
    .join(', ')}}`;
}

const quote = (text: string): string => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark;
};

const shorten = (text: string): string => (text.length > 120 ? `${text.slice(0, 117)}...` : text);
