import type { SupportedInstance } from '@fractus/scheduling';

/** Architectures that a processor runs beside its own. */
const ALSO_RUNS: Readonly<Record<string, readonly string[]>> = { x86_64: ['i686'], aarch64: ['armv7l'] };
/** A hypervisor known as QEMU runs with acceleration too; libvirt reports both. */
const ALSO_KNOWN_AS: Readonly<Record<string, readonly string[]>> = { qemu: ['kvm'], kvm: ['qemu'] };

/** What a hypervisor of this type and architecture can run, for image properties. */
export function supportedInstances(architecture: string, hypervisorType: string): SupportedInstance[] {
  const type = hypervisorType.toLowerCase();
  const types = [type, ...(ALSO_KNOWN_AS[type] ?? [])];
  const architectures = [architecture, ...(ALSO_RUNS[architecture] ?? [])];
  return architectures.flatMap((a) => types.map((t): SupportedInstance => [a, t, 'hvm']));
}
