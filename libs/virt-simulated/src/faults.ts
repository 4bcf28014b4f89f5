/**
 * Faults and delays that a server brings along in its metadata, so that a test or a user's CI chooses what goes wrong
 * through the public API alone. See docs/simulated-driver.md; the keys are read from the metadata the guest was built
 * with, later changes of it are not seen.
 */
import { DriverError } from '@fractus/virt';
import type { SimulatedOperation } from './options';

export interface InjectedFaults {
  /** How many times the operation is to fail; Infinity: always. */
  readonly failTimes: number;
  /** Hosts on which it always fails. */
  readonly failHosts: readonly string[];
  /** Whether another host would do no better. */
  readonly final: boolean;
  readonly delayMs: number;
  /** `alive`: keeps saying that it lives; `stalled`: falls silent. */
  readonly hang: 'alive' | 'stalled' | null;
  /** How many times it hangs; Infinity: always. */
  readonly hangTimes: number;
}

/** When a guest leaves by itself after each boot. */
export interface InjectedDeath {
  readonly afterMs: number;
  readonly state: 'crashed' | 'shutdown';
}

type Metadata = Readonly<Record<string, string>>;

export function injectedFaults(metadata: Metadata, operation: SimulatedOperation): InjectedFaults {
  const value = (name: string): string | undefined => metadata[`sim:${name}`];
  const hang = value(`hang_${operation}`);
  if (hang !== undefined && hang !== 'alive' && hang !== 'stalled')
    throw badValue(`hang_${operation}`, hang, '"alive" or "stalled"');
  return {
    failTimes: times(`fail_${operation}`, value(`fail_${operation}`), 0),
    failHosts: (value(`fail_${operation}_host`) ?? '')
      .split(',')
      .map((h) => h.trim())
      .filter((h) => h !== ''),
    final: value(`fail_${operation}_final`) === 'true',
    delayMs: seconds(`delay_${operation}`, value(`delay_${operation}`)) ?? 0,
    hang: hang ?? null,
    hangTimes: times(`hang_${operation}_times`, value(`hang_${operation}_times`), Infinity),
  };
}

export function injectedDeath(metadata: Metadata): InjectedDeath | null {
  for (const [key, state] of [
    ['crash_after', 'crashed'],
    ['shutdown_after', 'shutdown'],
  ] as const) {
    const afterMs = seconds(key, metadata[`sim:${key}`]);
    if (afterMs !== null) return { afterMs, state };
  }
  return null;
}

function times(name: string, text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  if (text === 'always') return Infinity;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badValue(name, text, 'a count or "always"');
}

function seconds(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value)) throw badValue(name, text, 'a number of seconds');
  return value * 1000;
}

/** A typing error must not pass for a healthy guest. */
function badValue(name: string, text: string, rule: string): DriverError {
  return new DriverError('driver.operation', `Metadata sim:${name} must be ${rule}, not "${text.slice(0, 40)}".`);
}
