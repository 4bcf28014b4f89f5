/**
 * Claims over REST: all consumers of a write in one POST, which Placement does as a whole or not at all.
 *
 * A Placement elsewhere keeps no fences. What stands in for them are the generation of the consumer, read first, and the
 * highest fence that was given out, asked for next: if that is still the writer's, whoever comes after it has not begun,
 * and whatever it writes to the consumer then makes the generation another one, so that the older write is refused. The
 * one thing that a generation does not tell is that the consumer is gone and was there before. So the fence is asked for
 * once more after the write, and what should not have been written is taken back. docs/adr/0019 says what is left.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { conflict, isFractusError, type FractusError, type RequestContext } from '@fractus/objects';
import type {
  AllocationResources,
  ClaimOwner,
  ConsumerAllocations,
  ConsumerId,
  ConsumerRecord,
  ConsumerRecords,
  DeleteAllocations,
  Deleted,
  WriteAllocations,
} from '@fractus/rpc-contracts';
import { inLanes } from './in-lanes';
import { CONSUMER_TYPES, NEEDED, type PlacementApi } from './placement-api';
import { accepted, CONCURRENT_UPDATE, isConsumerConflict, REFUSALS, refusalOf } from './placement-refusals';
import { segment } from './rest';

/** The highest fence that was given out for a consumer; 0 where there was none. */
export type FenceOf = (consumerId: string) => Promise<number>;

/** Attempts at a write while others write to the same consumers or providers. */
const ATTEMPTS = 5;
const PAUSE_MS = 40;

interface WireConsumer {
  allocations: Record<string, AllocationResources>;
  project_id?: string;
  user_id?: string;
  consumer_generation?: number | null;
  consumer_type?: string;
}

/** One consumer of a write, with what had to be read of it. */
interface Ready {
  readonly write: ConsumerAllocations;
  readonly generation: number | null;
  readonly type: string | undefined;
}

const at = (consumerId: string): string => `/allocations/${segment(consumerId)}`;

export class PlacementAllocations {
  constructor(
    private readonly api: PlacementApi,
    private readonly fenceOf: FenceOf | undefined,
  ) {}

  async get(ctx: RequestContext, { consumerId }: ConsumerId): Promise<ConsumerRecord> {
    const call = { method: 'GET', path: at(consumerId), accept: REFUSALS } as const;
    return recordOf(consumerId, accepted(await this.api.call(ctx, call)).body as WireConsumer);
  }

  async write(ctx: RequestContext, { consumers }: WriteAllocations): Promise<ConsumerRecords> {
    if (consumers.length === 0) return { consumers: [] };
    return this.persist(
      () => this.attempt(ctx, consumers),
      (e) =>
        // a generation that the caller named is the caller's to judge
        !isConsumerConflict(e) || consumers.every((c) => c.consumerGeneration === undefined),
    );
  }

  /** Without an owner and a generation whatever is there goes; else what was read goes, or nothing. */
  async delete(ctx: RequestContext, { consumerId, owner, consumerGeneration }: DeleteAllocations): Promise<Deleted> {
    if (!owner && consumerGeneration === undefined) {
      const { status } = await this.api.call(ctx, { method: 'DELETE', path: at(consumerId), accept: [404] });
      return { deleted: status !== 404 };
    }
    return this.persist(
      async () => {
        const held = await this.get(ctx, { consumerId });
        if (owner) await this.checkFence(consumerId, owner);
        if (held.consumerGeneration === null) return { deleted: false };
        if (consumerGeneration !== undefined && consumerGeneration !== held.consumerGeneration)
          throw movedOn(held.consumerGeneration, consumerGeneration);
        await this.empty(ctx, held);
        return { deleted: true };
      },
      (e) => !isConsumerConflict(e) || consumerGeneration === undefined,
    );
  }

  private async attempt(ctx: RequestContext, consumers: readonly ConsumerAllocations[]): Promise<ConsumerRecords> {
    const minor = await this.api.minor(ctx);
    const ready = await inLanes(this.api.width, consumers, (write) =>
      this.prepare(ctx, write, minor >= CONSUMER_TYPES),
    );
    await this.checkFences(consumers);
    const typed = minor >= CONSUMER_TYPES && ready.every((r) => r.type !== undefined);
    const json = Object.fromEntries(ready.map((r) => [r.write.consumerId, wireOf(r, typed)]));
    const version = typed || minor < CONSUMER_TYPES ? {} : { minor: NEEDED };
    const call = { method: 'POST', path: '/allocations', json, accept: REFUSALS, ...version } as const;
    const answer = await this.api.call(ctx, call);
    if (answer.status === 404) throw refusalOf({ ...answer, status: 400 });
    accepted(answer);
    const records = ready.map(written);
    await this.takeBackIfLate(ctx, consumers, records);
    return { consumers: records };
  }

  /** Reads the consumer where the write does not say all that Placement wants to hear. */
  private async prepare(ctx: RequestContext, write: ConsumerAllocations, types: boolean): Promise<Ready> {
    const { consumerGeneration: generation, consumerType: type } = write;
    if (generation !== undefined && (type !== undefined || !types)) return { write, generation, type };
    const held = await this.get(ctx, { consumerId: write.consumerId });
    return {
      write,
      generation: generation === undefined ? held.consumerGeneration : generation,
      type: type ?? held.consumerType,
    };
  }

  private async checkFences(consumers: readonly ConsumerAllocations[]): Promise<void> {
    for (const { consumerId, owner } of consumers) if (owner) await this.checkFence(consumerId, owner);
  }

  private async checkFence(consumerId: string, { fence }: ClaimOwner): Promise<void> {
    if (!this.fenceOf || (await this.fenceOf(consumerId)) <= fence) return;
    throw conflict(`consumer ${consumerId} has been claimed under a higher fence than ${fence}`, {
      code: 'claim.stale_fence',
      details: { fence },
    });
  }

  /** Whoever came after may have found nothing to delete, a moment before this was written. */
  private async takeBackIfLate(
    ctx: RequestContext,
    consumers: readonly ConsumerAllocations[],
    records: readonly ConsumerRecord[],
  ): Promise<void> {
    for (const [i, { consumerId, owner }] of consumers.entries()) {
      const record = records[i];
      if (!owner || !record || record.consumerGeneration === null) continue;
      try {
        await this.checkFence(consumerId, owner);
      } catch (late) {
        // by the generation of this very write: what others wrote since is theirs
        await this.empty(ctx, record).catch((e: unknown) => {
          if (!isFractusError(e, 'conflict')) throw e;
        });
        throw late;
      }
    }
  }

  /** Takes everything from a consumer that is as it was read; `conflict` else. */
  private async empty(ctx: RequestContext, held: ConsumerRecord): Promise<void> {
    const minor = await this.api.minor(ctx);
    const { consumerId, consumerGeneration, projectId, userId, consumerType } = held;
    const typed = minor >= CONSUMER_TYPES && consumerType !== undefined;
    const json: WireConsumer = {
      allocations: {},
      project_id: projectId ?? '',
      user_id: userId ?? '',
      consumer_generation: consumerGeneration,
      ...(typed ? { consumer_type: consumerType } : {}),
    };
    const version = typed || minor < CONSUMER_TYPES ? {} : { minor: NEEDED };
    const call = { method: 'PUT', path: at(consumerId), json, accept: REFUSALS, ...version } as const;
    accepted(await this.api.call(ctx, call));
  }

  /** Again while others write, where `again` says so: a provider that moved under a claim is no lost claim. */
  private async persist<T>(work: () => Promise<T>, again: (e: FractusError) => boolean): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (e) {
        if (!isFractusError(e, 'conflict') || e.code !== CONCURRENT_UPDATE || attempt === ATTEMPTS || !again(e))
          throw e;
        await pause(PAUSE_MS * attempt * (0.5 + Math.random()));
      }
    }
  }
}

const movedOn = (actual: number, given: number): FractusError =>
  conflict(`consumer generation conflict - expected ${actual} but got ${given}`, { code: CONCURRENT_UPDATE });

function wireOf({ write, generation, type }: Ready, typed: boolean): WireConsumer {
  return {
    allocations: Object.fromEntries(
      Object.entries(write.allocations).map(([uuid, { resources }]) => [uuid, { resources }]),
    ),
    project_id: write.projectId,
    user_id: write.userId,
    consumer_generation: generation,
    ...(typed && type !== undefined ? { consumer_type: type } : {}),
  };
}

/** Told from what was sent, not read back: a later reader could see another's write, and the next one would undo it. */
function written({ write, generation, type }: Ready): ConsumerRecord {
  const { consumerId, projectId, userId, allocations } = write;
  if (Object.keys(allocations).length === 0) return { consumerId, consumerGeneration: null, allocations: {} };
  return {
    consumerId,
    consumerGeneration: (generation ?? 0) + 1,
    projectId,
    userId,
    ...(type === undefined ? {} : { consumerType: type }),
    allocations,
  };
}

function recordOf(consumerId: string, wire: WireConsumer): ConsumerRecord {
  const held = Object.entries(wire.allocations);
  if (held.length === 0) return { consumerId, consumerGeneration: null, allocations: {} };
  return {
    consumerId,
    consumerGeneration: wire.consumer_generation ?? null,
    ...(wire.project_id === undefined ? {} : { projectId: wire.project_id }),
    ...(wire.user_id === undefined ? {} : { userId: wire.user_id }),
    ...(isType(wire.consumer_type) ? { consumerType: wire.consumer_type } : {}),
    allocations: Object.fromEntries(held.map(([uuid, { resources }]) => [uuid, { resources }])),
  };
}

/** `unknown` is what Placement tells of consumers that were written without a type. */
const isType = (told: string | undefined): told is string => told !== undefined && told !== 'unknown';
