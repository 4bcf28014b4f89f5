import { leastNumber } from '../aggregate-metadata';
import type { MultiplierName, SchedulingOptions } from '../options';
import type { HostView, ScheduleRequest } from '../types';

/** What a weigher says: how much of something a host has. More wins where the multiplier is positive. */
export interface HostWeigher {
  /** Upstream's class name. */
  readonly name: string;
  readonly multiplier: MultiplierName;
  /** −1 for what counts against a host whatever its multiplier's sign looks like to operators (failed builds). */
  readonly sign: 1 | -1;
  /** Lower bound of the scale; without one it is the least among the hosts. */
  readonly minimum?: number;
  /** What is weighed, with its unit; for people. */
  readonly what: string;
  weigh(host: HostView, request: ScheduleRequest): number;
}

type Definition = Omit<HostWeigher, 'sign'> & { readonly sign?: -1 };

export const defineWeigher = <const D extends Definition>(definition: D): D & { readonly sign: 1 | -1 } => ({
  ...definition,
  sign: definition.sign ?? 1,
});

/** The multiplier for one host: an aggregate's `<name>_weight_multiplier` goes before the option, the least of several. */
export function multiplierFor(weigher: HostWeigher, host: HostView, options: SchedulingOptions): number {
  const { multiplier, sign } = weigher;
  return sign * leastNumber(host, `${multiplier}_weight_multiplier`, options.multipliers[multiplier], 'decimal');
}
