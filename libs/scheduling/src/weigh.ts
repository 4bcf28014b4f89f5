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
  /** Parts that tell hosts apart and are not zero; worked out when asked for. */
  readonly parts: readonly WeightPart[];
}

/** What one weigher says of all hosts, by their place in the list. */
class Column {
  private telling?: boolean;

  constructor(
    readonly weigher: HostWeigher,
    readonly values: readonly number[],
    private readonly multipliers: readonly number[],
    private readonly least: number,
    private readonly span: number,
  ) {}

  score(row: number): number {
    return ((this.multipliers[row] ?? 0) * ((this.values[row] ?? 0) - this.least)) / this.span;
  }

  part(row: number): WeightPart {
    const [raw = 0, multiplier = 0] = [this.values[row], this.multipliers[row]];
    return { weigher: this.weigher.name, raw, normalised: (raw - this.least) / this.span, multiplier };
  }

  /** Whether it tells hosts apart at all. */
  get tells(): boolean {
    this.telling ??= this.values.some((_, row) => this.score(row) !== this.score(0));
    return this.telling;
  }
}

class Weighed<H extends HostView> implements WeighedHost<H> {
  private known?: readonly WeightPart[];

  constructor(
    readonly host: H,
    readonly weight: number,
    private readonly row: number,
    private readonly columns: readonly Column[],
  ) {}

  get parts(): readonly WeightPart[] {
    this.known ??= this.columns
      .filter((c) => c.tells)
      .map((c) => c.part(this.row))
      .filter(({ multiplier, normalised }) => multiplier * normalised !== 0);
    return this.known;
  }
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
  const columns = hosts.length > 1 ? weighers.flatMap((w) => columnOf(w, hosts, request, options)) : [];
  const all = hosts.map((host, row) => new Weighed(host, weightOf(columns, row), row, columns));
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

/** Nothing where all hosts are equal and there is no lower bound to measure them against. */
function columnOf(
  weigher: HostWeigher,
  hosts: readonly HostView[],
  request: ScheduleRequest,
  options: SchedulingOptions,
): Column[] {
  const floor = weigher.minimum ?? -Infinity;
  const values = hosts.map((host) => Math.max(floor, weigher.weigh(host, request)));
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = weigher.minimum ?? values.reduce((a, b) => Math.min(a, b), Infinity);
  if (most === least) return [];
  const multipliers = hosts.map((host) => multiplierFor(weigher, host, options));
  return [new Column(weigher, values, multipliers, least, most - least)];
}

function weightOf(columns: readonly Column[], row: number): number {
  let weight = 0;
  for (const column of columns) weight += column.score(row);
  return weight;
}
