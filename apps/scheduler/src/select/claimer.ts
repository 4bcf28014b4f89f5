import { isFractusError, type RequestContext } from '@fractus/objects';
import type { Allocations, ClaimResult } from '@fractus/scheduling';
import type { Client, ConsumerRecord, placementContract, SelectDestinations } from '@fractus/rpc-contracts';

type Placement = Client<typeof placementContract>;

/** Times that one candidate is tried again because the consumer changed under our hands. */
const GENERATION_RETRIES = 3;
/** Claims that another candidate may still win. Anything else is no matter of room and goes to the caller. */
const LOST_CODES = /^(inventory\.|provider\.|placement\.)/;

/**
 * Claims for one server in the name of its task. What the server holds from an earlier try of the same task is
 * replaced, in one write, so a repeated call neither doubles a claim nor fails because of it.
 */
export class Claimer {
  /** Generation that the next write expects; null: the server holds nothing. */
  private generation: number | null = null;

  constructor(
    private readonly placement: Placement,
    private readonly ctx: RequestContext,
    private readonly request: SelectDestinations,
  ) {}

  /** What the server holds; a later claim replaces it. */
  async held(): Promise<ConsumerRecord> {
    const record = await this.placement.getAllocations(this.ctx, { consumerId: this.request.serverId });
    this.generation = record.consumerGeneration;
    return record;
  }

  /** Rejects with `conflict` code `claim.stale_fence` when the task has lost its lease, or as Placement is ill. */
  async claim(allocations: Allocations): Promise<ClaimResult> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.write(allocations);
        return { claimed: true };
      } catch (e) {
        if (!isFractusError(e, 'conflict', 'invalid', 'not_found') || !LOST_CODES.test(e.code)) throw e;
        const before = this.generation;
        // the generation may be another's word, or our own of a call whose answer was lost
        if (e.code === 'placement.concurrent_update' && attempt < GENERATION_RETRIES) {
          await this.held();
          if (this.generation !== before) continue;
        }
        return { claimed: false, code: e.code, sentence: e.message };
      }
    }
  }

  private async write(allocations: Allocations): Promise<void> {
    const { serverId, taskId, fence, spec } = this.request;
    const { consumers } = await this.placement.writeAllocations(this.ctx, {
      consumers: [
        {
          consumerId: serverId,
          consumerGeneration: this.generation,
          projectId: spec.projectId,
          userId: spec.userId,
          consumerType: 'INSTANCE',
          allocations,
          owner: { taskId, fence },
        },
      ],
    });
    this.generation = consumers.find((c) => c.consumerId === serverId)?.consumerGeneration ?? null;
  }
}
