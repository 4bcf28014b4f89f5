import { invalid } from '@fractus/objects';
import {
  type AggregateView,
  type CloudFacts,
  DEFAULT_OPTIONS,
  enabledFilters,
  FlatPlacement,
  type HostView,
  schedule,
  type ScheduleReport,
  type ScheduleRequest,
  type SchedulingOptions,
} from '@fractus/scheduling';
import type { Scenario, SimHost, SimRequest } from './scenario';

export interface SimResult {
  readonly request: string;
  /** Host, or null. */
  readonly host: string | null;
  readonly report: ScheduleReport;
}

interface SimCloud {
  readonly hosts: Map<string, HostView>;
  readonly placement: FlatPlacement;
  readonly facts: CloudFacts;
}

/** Schedules every request in turn; each takes up room that the next one misses. */
export async function simulate(scenario: Scenario): Promise<SimResult[]> {
  const options = optionsOf(scenario.options ?? {});
  const cloud = build(scenario);
  const results: SimResult[] = [];
  for (const wanted of scenario.requests) {
    const members: Record<string, number> = {};
    for (let i = 1; i <= (wanted.count ?? 1); i++) {
      const name = wanted.count === undefined ? wanted.name : `${wanted.name}-${i}`;
      const request = requestOf(wanted, name, members);
      const { report, claimed } = await schedule({
        request,
        facts: cloud.facts,
        options,
        seed: `${scenario.seed ?? ''}/${name}`,
        hostOf: (id) => withRoom(cloud, id),
        search: (query) => cloud.placement.candidates(query),
        claim: ({ allocations }) =>
          cloud.placement.claim(name, allocations)
            ? { claimed: true }
            : { claimed: false, code: 'inventory.capacity', sentence: 'No room.' },
      });
      if (claimed) take(cloud, claimed.host, members);
      results.push({ request: name, host: claimed?.host.host ?? null, report });
    }
  }
  return results;
}

function optionsOf(given: Record<string, unknown>): SchedulingOptions {
  const unknown = Object.keys(given).filter((k) => !(k in DEFAULT_OPTIONS));
  if (unknown.length > 0) {
    throw invalid(`options: there is no ${unknown.join(', ')}; there are ${Object.keys(DEFAULT_OPTIONS).join(', ')}`);
  }
  const options = { ...DEFAULT_OPTIONS, ...given } as SchedulingOptions;
  try {
    enabledFilters(options.enabledFilters);
  } catch (e) {
    throw invalid(`options.enabledFilters: ${(e as Error).message}`, { cause: e });
  }
  return { ...options, multipliers: { ...DEFAULT_OPTIONS.multipliers, ...options.multipliers } };
}

function build(scenario: Scenario): SimCloud {
  const aggregates = new Map<string, AggregateView>(
    (scenario.aggregates ?? []).map((a) => [a.name, { id: a.name, name: a.name, metadata: a.metadata }]),
  );
  const list = scenario.hosts.flatMap((h) => expand(h).map((name) => ({ host: h, name })));
  const hosts = new Map(list.map(({ host, name }) => [name, hostOf(host, name, aggregates)]));
  const placement = new FlatPlacement(
    list.map(({ host, name }) => ({
      id: name,
      capacity: {
        VCPU: Math.floor(host.vcpus * (host.cpuAllocationRatio ?? 4)),
        MEMORY_MB: host.memoryMb,
        DISK_GB: host.diskGb,
        ...host.resources,
      },
      traits: [...(host.traits ?? []), ...(host.disabled ? ['COMPUTE_STATUS_DISABLED'] : [])],
      aggregates: host.aggregates ?? [],
    })),
  );
  return {
    hosts,
    placement,
    facts: { hosts: [...hosts.values()], aggregates: [...aggregates.values()], everyHostOwned: false },
  };
}

const expand = ({ name, count }: SimHost): string[] =>
  count === undefined ? [name] : Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);

function hostOf(host: SimHost, name: string, known: ReadonlyMap<string, AggregateView>): HostView {
  const aggregates = (host.aggregates ?? []).map((a) => {
    const found = known.get(a);
    if (!found) throw invalid(`host ${host.name} is in aggregate ${a}, which is not in "aggregates"`);
    return found;
  });
  const down = host.down ?? false;
  const architecture = host.architecture ?? 'x86_64';
  const hypervisorType = host.hypervisorType ?? 'QEMU';
  return {
    host: name,
    node: name,
    nodeId: name,
    service: {
      up: !down,
      disabled: host.disabled ?? false,
      disabledReason: null,
      forcedDown: false,
      silentSeconds: down ? null : 0,
    },
    availabilityZone: aggregates.find((a) => a.metadata['availability_zone'])?.metadata['availability_zone'] ?? 'nova',
    aggregates,
    hypervisorType,
    hypervisorVersion: host.hypervisorVersion ?? 0,
    hostIp: '192.0.2.1',
    vcpus: host.vcpus,
    vcpusUsed: 0,
    memoryMb: host.memoryMb,
    memoryMbUsed: 0,
    diskGb: host.diskGb,
    diskGbUsed: 0,
    free: { vcpus: host.vcpus, memoryMb: host.memoryMb, diskGb: host.diskGb },
    runningGuests: host.runningGuests ?? 0,
    ioOps: host.ioOps ?? 0,
    failedBuilds: host.failedBuilds ?? 0,
    freePciDevices: 0,
    cpuInfo: null,
    supportedInstances: [[architecture, hypervisorType.toLowerCase(), 'hvm']],
    capabilities: {},
  };
}

function requestOf(wanted: SimRequest, name: string, membersByHost: Record<string, number>): ScheduleRequest {
  const { flavor, image, group } = wanted;
  return {
    serverId: name,
    projectId: wanted.project ?? 'project',
    flavor: {
      name: flavor.name ?? wanted.name,
      vcpus: flavor.vcpus,
      memoryMb: flavor.memoryMb,
      rootGb: flavor.rootGb ?? 0,
      ephemeralGb: flavor.ephemeralGb ?? 0,
      swapMb: flavor.swapMb ?? 0,
      extraSpecs: flavor.extraSpecs ?? {},
    },
    image: image ? { imageId: 'image', diskFormat: image.diskFormat, properties: image.properties ?? {} } : null,
    bootFromVolume: wanted.bootFromVolume ?? false,
    availabilityZone: wanted.zone ?? null,
    requestedHost: wanted.host ?? null,
    requestedNode: null,
    schedulerHints: {},
    excludeHosts: [],
    multiattachVolumes: wanted.multiattachVolumes ?? false,
    ...(group && { serverGroup: { groupId: wanted.name, policy: group, maxServerPerHost: 1, membersByHost } }),
  };
}

function withRoom({ hosts, placement }: SimCloud, id: string): HostView | undefined {
  const host = hosts.get(id);
  if (!host) return undefined;
  const free = {
    vcpus: placement.free(id, 'VCPU'),
    memoryMb: placement.free(id, 'MEMORY_MB'),
    diskGb: placement.free(id, 'DISK_GB'),
  };
  return { ...host, free };
}

function take({ hosts }: SimCloud, { host }: HostView, members: Record<string, number>): void {
  const view = hosts.get(host);
  if (view) hosts.set(host, { ...view, runningGuests: view.runningGuests + 1 });
  members[host] = (members[host] ?? 0) + 1;
}
