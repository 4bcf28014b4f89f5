import { canonicalArchitecture, imageProperty } from '../flavor-and-image';
import type { SupportedInstance } from '../types';
import { defineFilter } from './filter';

/**
 * Architecture, hypervisor type, machine mode, hypervisor version and physical address bits that the image asks for
 * must be among what the hypervisor can run. Names are brought to their canonical form first (`amd64` is `x86_64`).
 */
export const imagePropertiesFilter = defineFilter({
  name: 'ImagePropertiesFilter',
  codes: {
    'image.platform': 'unable to run the image: architecture, hypervisor type or machine mode',
    'image.hypervisor_version': 'with a hypervisor version the image does not accept',
    'image.address_bits': 'with fewer physical address bits than the image needs',
  },
  check(host, { image }, { imagePropertiesDefaultArchitecture }, reject) {
    const properties = image?.properties ?? NO_PROPERTIES;
    const wanted = platformOf(properties, imagePropertiesDefaultArchitecture);
    if (wanted === ANY_PLATFORM) return null;
    const fits = host.supportedInstances.some((s) => wanted.every((w) => w === '' || s.includes(w)));
    const need = wanted.map((w) => w || 'any').join('/');
    if (!fits) {
      const have = host.supportedInstances.map(describe);
      const sentence = `${host.host} runs ${have.join(', ') || 'nothing that it tells of'}; the image needs ${need}.`;
      return reject('image.platform', have, need, sentence);
    }
    const versions = imageProperty(properties, 'img_hv_requested_version');
    const version = versionText(host.hypervisorVersion);
    if (versions && host.hypervisorVersion && !satisfies(version, versions)) {
      const sentence = `${host.host} has hypervisor version ${version}; the image accepts ${versions}.`;
      return reject('image.hypervisor_version', version, versions, sentence);
    }
    const [bits, neededBits] = [addressBits(host.cpuInfo), Number(properties['hw_maxphysaddr_bits'])];
    if (bits && neededBits && bits < neededBits) {
      const sentence = `${host.host} has ${bits} physical address bits; the image needs ${neededBits}.`;
      return reject('image.address_bits', bits, neededBits, sentence);
    }
    return null;
  },
});

const describe = (s: SupportedInstance): string => s.join('/');

const HYPERVISORS: Readonly<Record<string, string>> = { xapi: 'xen' };
const MODES: Readonly<Record<string, string>> = { pv: 'xen', hv: 'hvm', baremetal: 'hvm' };

type Properties = Readonly<Record<string, string>>;
const NO_PROPERTIES: Properties = Object.freeze({});
const ANY_PLATFORM: readonly string[] = ['', '', ''];

/** Worked out once for all the hosts that a request is held against: by the image's own properties. */
const platforms = new WeakMap<Properties, { defaultArchitecture: string; wanted: readonly string[] }>();

function platformOf(properties: Properties, defaultArchitecture: string): readonly string[] {
  const known = platforms.get(properties);
  if (known?.defaultArchitecture === defaultArchitecture) return known.wanted;
  const read = readPlatform(properties, defaultArchitecture);
  const wanted = read.some((w) => w !== '') ? read : ANY_PLATFORM;
  platforms.set(properties, { defaultArchitecture, wanted });
  return wanted;
}

function readPlatform(properties: Properties, defaultArchitecture: string): string[] {
  const canonical = (text: string | undefined, names: Readonly<Record<string, string>>): string => {
    const lower = (text ?? '').toLowerCase();
    return names[lower] ?? lower;
  };
  return [
    canonicalArchitecture(imageProperty(properties, 'hw_architecture') ?? defaultArchitecture),
    canonical(imageProperty(properties, 'img_hv_type'), HYPERVISORS),
    canonical(imageProperty(properties, 'hw_vm_mode'), MODES),
  ];
}

/** 1003001 → 1.3.1: three digits a part, as hypervisors report it. */
export function versionText(version: number): string {
  const parts: number[] = [];
  for (let rest = version; rest > 0; rest = Math.floor(rest / 1000)) parts.unshift(rest % 1000);
  return parts.join('.');
}

/** Whether a dotted version meets every part of `>=1.3,<2`. A part that cannot be read is not met. */
export function satisfies(version: string, predicate: string): boolean {
  return predicate.split(',').every((part) => {
    const [, operator, wanted = ''] = /^\s*(<=|>=|<|>|!=|==)\s*([\d.]+)\s*$/.exec(part) ?? [];
    const order = compareVersions(version, wanted);
    switch (operator) {
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
      case '==':
        return order === 0;
      case '!=':
        return order !== 0;
      default:
        return false;
    }
  });
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function addressBits(cpuInfo: unknown): number | undefined {
  const bits = (cpuInfo as { maxphysaddr?: { bits?: unknown } } | null)?.maxphysaddr?.bits;
  return typeof bits === 'number' ? bits : undefined;
}
