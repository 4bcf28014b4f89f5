/** The registry of weighers. To add one: one file here, one line below, and its multiplier in `options.ts`. */
import { buildFailureWeigher } from './build-failure.weigher';
import { cpuWeigher } from './cpu.weigher';
import { diskWeigher } from './disk.weigher';
import { hypervisorVersionWeigher } from './hypervisor-version.weigher';
import { ioOpsWeigher } from './io-ops.weigher';
import { numInstancesWeigher } from './num-instances.weigher';
import { pciWeigher } from './pci.weigher';
import { ramWeigher } from './ram.weigher';
import { serverGroupSoftAffinityWeigher } from './server-group-soft-affinity.weigher';
import { serverGroupSoftAntiAffinityWeigher } from './server-group-soft-anti-affinity.weigher';
import type { HostWeigher } from './weigher';

export const WEIGHERS = [
  ramWeigher,
  cpuWeigher,
  diskWeigher,
  pciWeigher,
  ioOpsWeigher,
  numInstancesWeigher,
  hypervisorVersionWeigher,
  serverGroupSoftAffinityWeigher,
  serverGroupSoftAntiAffinityWeigher,
  buildFailureWeigher,
] as const satisfies readonly HostWeigher[];

export type { HostWeigher } from './weigher';
export { multiplierFor } from './weigher';
