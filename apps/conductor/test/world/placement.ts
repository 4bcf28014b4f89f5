import { conflict } from '@fractus/objects';
import type { AllocationResources, Client, ConsumerAllocations, placementContract } from '@fractus/rpc-contracts';

interface Consumer {
  readonly allocations: Record<string, AllocationResources>;
  readonly generation: number;
  readonly projectId: string;
  readonly userId: string;
  readonly consumerType: string | undefined;
  readonly updatedAt: number;
}

/** Allocations as Placement keeps them: whole per consumer, fences that never go back, capacity in VCPU per provider. */
export class PlacementLedger {
  readonly consumers = new Map<string, Consumer>();
  private readonly fences = new Map<string, number>();
  readonly capacity = new Map<string, number>();

  constructor(private readonly clock: () => number) {}

  used(providerId: string, except?: string): number {
    return [...this.consumers]
      .filter(([id]) => id !== except)
      .reduce((n, [, c]) => n + (c.allocations[providerId]?.resources['VCPU'] ?? 0), 0);
  }

  write(c: ConsumerAllocations): void {
    this.checkFence(c.consumerId, c.owner?.fence);
    for (const [provider, { resources }] of Object.entries(c.allocations)) {
      if (this.used(provider, c.consumerId) + (resources['VCPU'] ?? 0) > (this.capacity.get(provider) ?? 0)) {
        throw conflict(`no room on ${provider}`, { code: 'placement.capacity' });
      }
    }
    const generation = (this.consumers.get(c.consumerId)?.generation ?? 0) + 1;
    this.consumers.set(c.consumerId, {
      allocations: c.allocations,
      generation,
      projectId: c.projectId,
      userId: c.userId,
      consumerType: c.consumerType,
      updatedAt: this.clock(),
    });
  }

  client(): Client<typeof placementContract> {
    const refuse = async (): Promise<never> => {
      throw new Error('conductor does not call this');
    };
    return {
      ensureProviders: refuse,
      getProviders: refuse,
      getTrees: refuse,
      updateProviders: refuse,
      deleteProvider: refuse,
      getCandidates: refuse,
      explainCandidates: refuse,
      writeAllocations: async (_ctx, { consumers }) => {
        consumers.forEach((c) => this.write(c));
        return { consumers: [] };
      },
      getAllocations: async (_ctx, { consumerId }) => this.record(consumerId),
      deleteAllocations: async (_ctx, { consumerId, owner, consumerGeneration }) => {
        this.checkFence(consumerId, owner?.fence);
        if (consumerGeneration !== undefined && this.consumers.get(consumerId)?.generation !== consumerGeneration) {
          throw conflict('consumer generation moved', { code: 'placement.concurrent_update' });
        }
        return { deleted: this.consumers.delete(consumerId) };
      },
      listConsumers: async (_ctx, { marker = '', limit }) => {
        const ids = [...this.consumers.keys()].filter((id) => id > marker).sort();
        return { consumers: ids.slice(0, limit).map((id) => this.record(id)) };
      },
    };
  }

  private record(consumerId: string) {
    const c = this.consumers.get(consumerId);
    if (!c) return { consumerId, consumerGeneration: null, allocations: {} };
    return {
      consumerId,
      consumerGeneration: c.generation,
      allocations: c.allocations,
      projectId: c.projectId,
      userId: c.userId,
      consumerType: c.consumerType,
      updatedAt: c.updatedAt,
    };
  }

  private checkFence(consumerId: string, fence: number | undefined): void {
    if (fence === undefined) return;
    const seen = this.fences.get(consumerId) ?? 0;
    if (fence < seen) throw conflict(`fence ${fence} is below ${seen}`, { code: 'claim.stale_fence' });
    this.fences.set(consumerId, fence);
  }
}
