/**
 * Processors of a server's own: `hw:cpu_policy` dedicated (all of them) or mixed (some). They are PCPU, those shared with
 * others VCPU (upstream nova/virt/hardware.py and ResourceRequest._translate_pinning_policies). That flavor and image do
 * not contradict each other is checked where the server is created.
 */
import { flavorOrImage, isTrue } from './flavor-and-image';
import type { ScheduleRequest } from './types';

export interface Pinning {
  readonly vcpus?: number;
  /** One more than the server has where the emulator's threads want a processor to themselves. */
  readonly pcpus?: number;
  readonly hyperthreading?: 'required' | 'forbidden';
}

type Asked = Pick<ScheduleRequest, 'flavor' | 'image'>;

export function readPinning(request: Asked): Pinning {
  const { vcpus, extraSpecs } = request.flavor;
  const policy = flavorOrImage(request, 'cpu_policy');
  const hyperthreading = HYPERTHREADING[flavorOrImage(request, 'cpu_thread_policy') ?? ''];
  const threads = hyperthreading && { hyperthreading };
  const emulator = extraSpecs['hw:emulator_threads_policy'] === 'isolate' ? 1 : 0;
  if (policy === 'dedicated') return { pcpus: vcpus + emulator, ...threads };
  if (policy !== 'mixed') return { ...threads };
  const dedicated = dedicatedCount(request);
  return { vcpus: vcpus - dedicated, pcpus: dedicated + emulator, ...threads };
}

/** Whether dedicated processors are wanted, so that a host that only tells of shared ones may be asked as a last resort. */
export const wantsDedicated = (request: Asked): boolean => flavorOrImage(request, 'cpu_policy') === 'dedicated';

const HYPERTHREADING: Readonly<Record<string, Pinning['hyperthreading']>> = {
  isolate: 'forbidden',
  require: 'required',
};

/** The dedicated mask, else the processors of real time: the image's mask before the flavor's, all without one. */
function dedicatedCount({ flavor, image }: Asked): number {
  const { vcpus, extraSpecs } = flavor;
  const mask = extraSpecs['hw:cpu_dedicated_mask'];
  if (mask) return maskSize(mask, vcpus);
  if (!isTrue(extraSpecs['hw:cpu_realtime'])) return 0;
  const realtime = image?.properties['hw_cpu_realtime_mask'] ?? extraSpecs['hw:cpu_realtime_mask'];
  return realtime ? maskSize(realtime, vcpus) : vcpus;
}

/** How many of the processors 0…count−1 a mask such as `0-3,^2` names; one that begins with `^` starts from all. */
function maskSize(mask: string, count: number): number {
  const parts = mask
    .split(',')
    .map((p) => p.trim())
    .filter((p) => p !== '');
  const named = new Set<number>();
  const excluded = new Set<number>();
  if (parts[0]?.startsWith('^')) for (let i = 0; i < count; i++) named.add(i);
  for (const part of parts) {
    const [, not, from, to] = /^(\^?)(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) continue;
    for (let i = Number(from); i <= Number(to ?? from) && i < count; i++) (not ? excluded : named).add(i);
  }
  for (const i of excluded) named.delete(i);
  return named.size;
}
