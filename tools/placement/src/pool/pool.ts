/**
 * A pool of disk that many hosts share, kept true in Placement through its REST API alone, so that it works on any
 * Placement: one provider with an inventory of DISK_GB and the trait MISC_SHARES_VIA_AGGREGATE, in an aggregate with
 * the providers of the hosts that mount it.
 *
 * What is not the pool's stays as it is: other inventories, traits and aggregates of the provider and of the hosts, and
 * an allocation ratio that somebody has set. Each write carries the generation that was read; on 409 everything is read
 * again.
 */
import { conflict, invalid, isFractusError } from '@fractus/objects';
import type { Api } from '@fractus/operator';

export const SHARES = 'MISC_SHARES_VIA_AGGREGATE';
const DISK = 'DISK_GB';
const HOST_TRAIT = 'COMPUTE_NODE';
const ATTEMPTS = 10;

export interface PoolWish {
  readonly name: string;
  /** Uuids. */
  readonly aggregates: readonly string[];
  /** GiB. */
  readonly reservedGb: number;
  /** Put the providers of all compute nodes into the first aggregate. */
  readonly withHosts: boolean;
}

/** Tells a write, and makes it unless it is only to be told. */
export type Write = (what: string, write: () => Promise<unknown>) => Promise<void>;

interface ProviderView {
  readonly uuid: string;
  readonly name: string;
}
interface InventoryView {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

export class Pool {
  constructor(
    private readonly api: Api,
    private readonly wish: PoolWish,
    private readonly write: Write,
  ) {}

  /** Makes everything as it should be; `totalGb` is what the pool has now. */
  async keep(totalGb: number): Promise<void> {
    if (totalGb < 1) throw invalid('a pool has at least 1 GiB', { code: 'pool.total' });
    const { reservedGb } = this.wish;
    if (reservedGb > totalGb)
      throw invalid(`--reserved-gb ${reservedGb} is more than the pool has (${totalGb})`, { code: 'pool.reserved' });
    const uuid = await this.ensureProvider();
    // in this order: a pool that is seen by its hosts is complete
    await this.again(() => this.keepInventory(uuid, totalGb));
    await this.again(() => this.keepTrait(uuid));
    await this.again(() => this.join(uuid ?? '', this.wish.name, this.wish.aggregates, uuid === undefined));
    const [first] = this.wish.aggregates;
    if (!this.wish.withHosts || first === undefined) return;
    for (const host of await this.hosts()) await this.again(() => this.join(host.uuid, host.name, [first]));
  }

  /**
   * Takes back what `keep` has made. `conflict` `pool.in_use`, and nothing is done, while anything is allocated of the
   * pool's disk.
   */
  async remove(): Promise<void> {
    const provider = await this.find();
    const [first] = this.wish.aggregates;
    if (provider && (await this.used(provider.uuid)) > 0)
      throw conflict(`the pool ${provider.name} (${provider.uuid}) has allocations: nothing is taken back`, {
        code: 'pool.in_use',
      });
    if (this.wish.withHosts && first !== undefined)
      for (const host of await this.hosts()) await this.again(() => this.leave(host.uuid, host.name, [first]));
    if (!provider) return;
    if (await this.isOursAlone(provider.uuid)) {
      await this.write(`delete provider ${provider.name}`, () => this.api.delete(at(provider.uuid)));
      return;
    }
    // somebody else has put something there: only what is ours goes
    await this.again(() => this.leave(provider.uuid, provider.name, this.wish.aggregates));
    await this.again(() => this.dropTrait(provider.uuid));
    if ((await this.inventories(provider.uuid)).inventories[DISK])
      await this.write(`delete inventory ${DISK} of ${provider.name}`, () =>
        this.api.delete(at(provider.uuid, `inventories/${DISK}`)),
      );
  }

  private async find(): Promise<ProviderView | undefined> {
    const { body } = await this.api.get('/resource_providers', { query: { name: this.wish.name } });
    return (body as { resource_providers: ProviderView[] }).resource_providers[0];
  }

  /** Undefined when it was only told that it would be made. */
  private async ensureProvider(): Promise<string | undefined> {
    const known = await this.find();
    if (known) return known.uuid;
    const { name } = this.wish;
    await this.write(`create provider ${name}`, async () => {
      // made by somebody else meanwhile: as well
      await this.api.post('/resource_providers', { name }, { accept: [409] });
    });
    return (await this.find())?.uuid;
  }

  private async hosts(): Promise<ProviderView[]> {
    const { body } = await this.api.get('/resource_providers', { query: { required: HOST_TRAIT } });
    return (body as { resource_providers: ProviderView[] }).resource_providers;
  }

  private async inventories(uuid: string): Promise<{ generation: number; inventories: Record<string, InventoryView> }> {
    const { body } = await this.api.get(at(uuid, 'inventories'));
    const view = body as { resource_provider_generation: number; inventories: Record<string, InventoryView> };
    return { generation: view.resource_provider_generation, inventories: view.inventories };
  }

  private async keepInventory(uuid: string | undefined, total: number): Promise<void> {
    const have = uuid === undefined ? undefined : await this.inventories(uuid);
    const known = have?.inventories[DISK];
    const { reservedGb: reserved } = this.wish;
    const same = known?.total === total && known.reserved === reserved && known.max_unit === total;
    if (same) return;
    const inventory = {
      ...{ total, reserved, min_unit: 1, max_unit: total, step_size: known?.step_size ?? 1 },
      allocation_ratio: known?.allocation_ratio ?? 1,
    };
    await this.write(`set ${DISK} of ${this.wish.name}: total ${total}, reserved ${reserved}`, () => {
      const body = { resource_provider_generation: have?.generation ?? 0, ...inventory };
      return known
        ? this.api.put(at(uuid ?? '', `inventories/${DISK}`), body)
        : this.api.post(at(uuid ?? '', 'inventories'), { ...body, resource_class: DISK });
    });
  }

  private async traits(uuid: string): Promise<{ traits: string[]; generation: number }> {
    const { body } = await this.api.get(at(uuid, 'traits'));
    const view = body as { traits: string[]; resource_provider_generation: number };
    return { traits: view.traits, generation: view.resource_provider_generation };
  }

  private async keepTrait(uuid: string | undefined): Promise<void> {
    const { traits, generation } = uuid === undefined ? { traits: [], generation: 0 } : await this.traits(uuid);
    if (traits.includes(SHARES)) return;
    await this.write(`add trait ${SHARES} to ${this.wish.name}`, () =>
      this.api.put(at(uuid ?? '', 'traits'), {
        resource_provider_generation: generation,
        traits: [...traits, SHARES],
      }),
    );
  }

  private async dropTrait(uuid: string): Promise<void> {
    const { traits, generation } = await this.traits(uuid);
    if (!traits.includes(SHARES)) return;
    const rest = traits.filter((t) => t !== SHARES);
    await this.write(`take trait ${SHARES} from ${this.wish.name}`, () =>
      this.api.put(at(uuid, 'traits'), { resource_provider_generation: generation, traits: rest }),
    );
  }

  private async aggregates(uuid: string): Promise<{ aggregates: string[]; generation: number }> {
    const { body } = await this.api.get(at(uuid, 'aggregates'));
    const view = body as { aggregates: string[]; resource_provider_generation: number };
    return { aggregates: view.aggregates, generation: view.resource_provider_generation };
  }

  private async join(uuid: string, name: string, wanted: readonly string[], isNew = false): Promise<void> {
    const { aggregates, generation } = isNew ? { aggregates: [], generation: 0 } : await this.aggregates(uuid);
    const fresh = wanted.filter((a) => !aggregates.includes(a));
    if (fresh.length === 0) return;
    await this.putAggregates(uuid, `put ${name} into aggregate ${fresh.join(', ')}`, generation, [
      ...aggregates,
      ...fresh,
    ]);
  }

  private async leave(uuid: string, name: string, left: readonly string[]): Promise<void> {
    const { aggregates, generation } = await this.aggregates(uuid);
    const rest = aggregates.filter((a) => !left.includes(a));
    if (rest.length === aggregates.length) return;
    await this.putAggregates(uuid, `take ${name} out of aggregate ${left.join(', ')}`, generation, rest);
  }

  private putAggregates(uuid: string, what: string, generation: number, aggregates: string[]): Promise<void> {
    return this.write(what, () =>
      this.api.put(at(uuid, 'aggregates'), { aggregates, resource_provider_generation: generation }),
    );
  }

  private async used(uuid: string): Promise<number> {
    const { body } = await this.api.get(at(uuid, 'usages'));
    return (body as { usages: Record<string, number> }).usages[DISK] ?? 0;
  }

  private async isOursAlone(uuid: string): Promise<boolean> {
    const { inventories } = await this.inventories(uuid);
    const { traits } = await this.traits(uuid);
    const { aggregates } = await this.aggregates(uuid);
    return (
      Object.keys(inventories).every((c) => c === DISK) &&
      traits.every((t) => t === SHARES) &&
      aggregates.every((a) => this.wish.aggregates.includes(a))
    );
  }

  /** What was read has changed: once more, with what is there now. */
  private async again(step: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await step();
      } catch (e) {
        if (!isFractusError(e, 'conflict') || attempt >= ATTEMPTS) throw e;
      }
    }
  }
}

const at = (uuid: string, part?: string): string => `/resource_providers/${uuid}${part ? `/${part}` : ''}`;
