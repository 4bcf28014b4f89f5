/**
 * All consumers, in order of uuid, of a Placement that has no list of them: they are read off every provider's
 * allocations. One walk over the providers keeps the lowest uuids after the marker, as many as `window` has room for,
 * and pages are told from these; a next walk begins where they end. So memory is bounded whatever the estate, and a walk
 * serves many pages.
 */
import type { RequestContext } from '@fractus/objects';
import type { ConsumerId, ConsumerRecord, ConsumerRecords, ListConsumers } from '@fractus/rpc-contracts';
import { inLanes } from './in-lanes';
import type { PlacementApi } from './placement-api';
import { segment } from './rest';

/** Uuids kept: about 2 MB. */
const WINDOW = 20_000;
/** Milliseconds for which what was walked is told further pages of. */
const FRESH_MS = 120_000;

interface Window {
  /** Sorted. */
  readonly uuids: readonly string[];
  /** Whether there may be more after the last. */
  readonly more: boolean;
  readonly at: number;
}

export interface ConsumerSource {
  get(ctx: RequestContext, asked: ConsumerId): Promise<ConsumerRecord>;
}

export class PlacementConsumers {
  private window: Window | undefined;

  constructor(
    private readonly api: PlacementApi,
    private readonly source: ConsumerSource,
    private readonly size = WINDOW,
  ) {}

  /** A page shorter than `limit` is the last. A list that begins anew is walked anew. */
  async list(ctx: RequestContext, { marker, limit }: ListConsumers): Promise<ConsumerRecords> {
    const consumers: ConsumerRecord[] = [];
    let after = marker?.toLowerCase();
    while (consumers.length < limit) {
      const window = await this.windowAfter(ctx, after, limit);
      const begin = after === undefined ? 0 : lowerBound(window.uuids, after, true);
      const uuids = window.uuids.slice(begin, begin + limit - consumers.length);
      const read = await inLanes(this.api.width, uuids, (consumerId) => this.source.get(ctx, { consumerId }));
      // those that were given up meanwhile are no consumers any more
      consumers.push(...read.filter((c) => c.consumerGeneration !== null));
      if (uuids.length > 0) after = uuids.at(-1);
      if (!window.more && begin + uuids.length >= window.uuids.length) break;
    }
    return { consumers };
  }

  private async windowAfter(ctx: RequestContext, after: string | undefined, limit: number): Promise<Window> {
    const { window } = this;
    if (window && after !== undefined && Date.now() - window.at < FRESH_MS) {
      const [first] = window.uuids;
      const last = window.uuids.at(-1);
      const within = first !== undefined && last !== undefined && first <= after && (after < last || !window.more);
      if (within) return window;
    }
    return (this.window = await this.walk(ctx, after, Math.max(limit, this.size)));
  }

  private async walk(ctx: RequestContext, after: string | undefined, room: number): Promise<Window> {
    const at = Date.now();
    const { body } = await this.api.call(ctx, { method: 'GET', path: '/resource_providers' });
    const providers = (body as { resource_providers: { uuid: string }[] }).resource_providers.map((p) => p.uuid);
    const lowest = new Lowest(room, after);
    await inLanes(this.api.width, providers, async (uuid) => {
      const path = `/resource_providers/${segment(uuid)}/allocations`;
      const { status, body: held } = await this.api.call(ctx, { method: 'GET', path, accept: [404] });
      if (status !== 404) for (const c of Object.keys((held as { allocations: object }).allocations)) lowest.add(c);
    });
    return { uuids: lowest.sorted(), more: lowest.dropped, at };
  }
}

/** The lowest of many words, at most `room` of them, each once. */
class Lowest {
  /** Cut back to `room` whenever twice as many have come. */
  private words = new Set<string>();
  private limit: string | undefined;
  dropped = false;

  constructor(
    private readonly room: number,
    private readonly after: string | undefined,
  ) {}

  add(word: string): void {
    if (this.after !== undefined && word <= this.after) return;
    if (this.limit !== undefined && word > this.limit) return void (this.dropped = true);
    this.words.add(word);
    if (this.words.size >= 2 * this.room) this.cut();
  }

  sorted(): string[] {
    this.cut();
    return [...this.words].sort();
  }

  private cut(): void {
    if (this.words.size <= this.room) return;
    const kept = [...this.words].sort().slice(0, this.room);
    this.dropped = true;
    this.limit = kept.at(-1);
    this.words = new Set(kept);
  }
}

/** The first place in a sorted list whose word is not below `word`, or, `past` it, is above. */
function lowerBound(list: readonly string[], word: string, past: boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = list[middle] as string;
    if (there < word || (past && there === word)) low = middle + 1;
    else high = middle;
  }
  return low;
}
