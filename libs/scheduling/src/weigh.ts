import type { SchedulingOptions } from './options';
import { seededRandom, shuffleHead } from './random';
import type { HostView, ScheduleRequest } from './types';
import { multiplierFor, WEIGHERS, type HostWeigher } from './weighers';

/** What one weigher added to a host's weight: multiplier × normalised. */
export interface WeightPart {
  readonly weigher: string;
  readonly raw: number;
  /** 0…1 over the hosts compared (below 0 cannot be; a lower bound clips). */
  readonly normalised: number;
  readonly multiplier: number;
}

export interface WeighedHost<H extends HostView = HostView> {
  readonly host: H;
  readonly weight: number;
  /** Parts that tell hosts apart and are not zero. */
  readonly parts: readonly WeightPart[];
}

/**
 * The hosts, best first. Each weigher's values are scaled to 0…1 between the least (or the weigher's lower bound) and
 * the most, multiplied and summed; all equal counts as 0; a single host is not weighed. Then, by the seed: hosts of
 * equal best weight are shuffled, and the first is drawn from the `hostSubsetSize` best.
 */
export function weigh<H extends HostView>(
  hosts: readonly H[],
  request: ScheduleRequest,
  options: SchedulingOptions,
  seed: string,
  weighers: readonly HostWeigher[] = WEIGHERS,
): WeighedHost<H>[] {
  const all = hosts.map((host) => ({ host, weight: 0, parts: [] as WeightPart[] }));
  if (all.length > 1) for (const weigher of weighers) addParts(all, weigher, request, options);
  all.sort((a, b) => b.weight - a.weight);
  const random = seededRandom(seed);
  const best = all[0]?.weight;
  if (options.shuffleBestSameWeighedHosts) {
    const equal = all.findIndex((w) => w.weight !== best);
    shuffleHead(all, equal < 0 ? all.length : equal, random);
  }
  const subset = Math.min(Math.max(1, options.hostSubsetSize), all.length);
  const [chosen] = all.splice(Math.floor(random() * subset), 1);
  return chosen ? [chosen, ...all] : all;
}

function addParts(
  all: { host: HostView; weight: number; parts: WeightPart[] }[],
  weigher: HostWeigher,
  request: ScheduleRequest,
  options: SchedulingOptions,
): void {
  const floor = weigher.minimum ?? -Infinity;
  const values = all.map(({ host }) => Math.max(floor, weigher.weigh(host, request)));
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = weigher.minimum ?? values.reduce((a, b) => Math.min(a, b), Infinity);
  if (most === least) return;
  const parts = all.map(({ host }, i): WeightPart => {
    const raw = values[i] ?? 0;
    const multiplier = multiplierFor(weigher, host, options);
    return { weigher: weigher.name, raw, normalised: (raw - least) / (most - least), multiplier };
  });
  const scores = parts.map((p) => p.multiplier * p.normalised);
  const tells = scores.some((score) => score !== scores[0]);
  all.forEach((weighed, i) => {
    const [part, score = 0] = [parts[i], scores[i]];
    weighed.weight += score;
    if (tells && part && score !== 0) weighed.parts.push(part);
  });
}
