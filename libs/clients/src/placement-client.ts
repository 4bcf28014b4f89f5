/**
 * A Placement elsewhere, spoken to over its REST API as the `placement` RPC contract: the same messages, the same
 * answers, the same kinds and codes of error. What a foreign Placement cannot do is said where it is: no stages and no
 * outline of candidates, an update of a provider in up to three requests, fences that are looked up instead of kept.
 */
import { isFractusError, systemContext, withTimeout } from '@fractus/objects';
import { placementContract, type Client } from '@fractus/rpc-contracts';
import type { ReadyCheck } from '@fractus/telemetry';
import { PlacementAllocations, type FenceOf } from './placement-allocations';
import { PlacementApi, type PlacementApiOptions } from './placement-api';
import { findCandidates } from './placement-candidates';
import { PlacementConsumers } from './placement-consumers';
import { explainCandidates } from './placement-explain';
import { PlacementProviders } from './placement-providers';

export type { FenceOf } from './placement-allocations';

/** Placement as scheduler, conductor, agents and the Compute API call it, wherever it is. */
export type PlacementCaller = Client<typeof placementContract>;

export interface PlacementClientOptions extends PlacementApiOptions {
  /** The highest fence given out for a consumer. Without it claims in a task's name are not checked. */
  readonly fenceOf?: FenceOf;
  readonly logger?: { warn(facts: object, text: string): void };
}

/** Milliseconds that readiness waits for an answer. */
const LOOK_MS = 5_000;

const { methods } = placementContract;

export class PlacementClient implements PlacementCaller {
  private readonly api: PlacementApi;
  private readonly providers: PlacementProviders;
  private readonly allocations: PlacementAllocations;
  private readonly consumers: PlacementConsumers;

  constructor(options: PlacementClientOptions) {
    this.api = new PlacementApi(options);
    this.providers = new PlacementProviders(this.api, (facts, text) => options.logger?.warn(facts, text));
    this.allocations = new PlacementAllocations(this.api, options.fenceOf);
    this.consumers = new PlacementConsumers(this.api, this.allocations);
  }

  /**
   * Finds out what Placement offers.
   * @throws unimplemented `placement.version` where that is too little, `unavailable` or `timeout` while it cannot be reached.
   */
  async open(): Promise<this> {
    await this.api.minor(systemContext('req-placement-open'));
    return this;
  }

  /** Whether Placement answers. */
  async ready(): Promise<ReadyCheck> {
    try {
      await this.api.look(systemContext('req-placement-ready'), LOOK_MS);
      return { part: 'placement', ok: true };
    } catch (e) {
      if (!isFractusError(e)) throw e;
      return { part: 'placement', ok: false, why: e.message };
    }
  }

  /** Nothing is held open. */
  async close(): Promise<void> {}

  ensureProviders: PlacementCaller['ensureProviders'] = (ctx, asked) =>
    this.providers.ensure(withTimeout(ctx, methods.ensureProviders.timeoutMs), asked);
  getProviders: PlacementCaller['getProviders'] = (ctx, asked) =>
    this.providers.get(withTimeout(ctx, methods.getProviders.timeoutMs), asked);
  getTrees: PlacementCaller['getTrees'] = (ctx, asked) =>
    this.providers.trees(withTimeout(ctx, methods.getTrees.timeoutMs), asked);
  updateProviders: PlacementCaller['updateProviders'] = (ctx, asked) =>
    this.providers.update(withTimeout(ctx, methods.updateProviders.timeoutMs), asked);
  deleteProvider: PlacementCaller['deleteProvider'] = (ctx, asked) =>
    this.providers.delete(withTimeout(ctx, methods.deleteProvider.timeoutMs), asked);
  getCandidates: PlacementCaller['getCandidates'] = (ctx, asked) =>
    findCandidates(this.api, withTimeout(ctx, methods.getCandidates.timeoutMs), asked);
  explainCandidates: PlacementCaller['explainCandidates'] = (ctx, asked) =>
    explainCandidates(this.api, withTimeout(ctx, methods.explainCandidates.timeoutMs), asked);
  writeAllocations: PlacementCaller['writeAllocations'] = (ctx, asked) =>
    this.allocations.write(withTimeout(ctx, methods.writeAllocations.timeoutMs), asked);
  getAllocations: PlacementCaller['getAllocations'] = (ctx, asked) =>
    this.allocations.get(withTimeout(ctx, methods.getAllocations.timeoutMs), asked);
  deleteAllocations: PlacementCaller['deleteAllocations'] = (ctx, asked) =>
    this.allocations.delete(withTimeout(ctx, methods.deleteAllocations.timeoutMs), asked);
  listConsumers: PlacementCaller['listConsumers'] = (ctx, asked) =>
    this.consumers.list(withTimeout(ctx, methods.listConsumers.timeoutMs), asked);
}
