import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isDuplicateKey } from '@fractus/database';
import { type RequestContext, conflict, invalid, isFractusError } from '@fractus/objects';
import { canGive } from '../domain/capacity';
import type { Provider } from '../domain/provider';
import type { LockedProvider, WriteUnit } from '../store/write-unit';
import { PlacementCore } from './placement-core';
import { moveProvider } from './reparent';

export const DUPLICATE_NAME = 'placement.duplicate_name';

export interface ProviderFilter {
  readonly uuid?: string;
  readonly name?: string;
  /** Uuid of any provider of the tree. */
  readonly inTree?: string;
  readonly resources?: ReadonlyMap<string, number>;
  /** Each inner list: in at least one of these aggregates. */
  readonly memberOf?: readonly (readonly string[])[];
  readonly notMemberOf?: readonly string[];
  /** Each inner list: at least one of these traits. */
  readonly required?: readonly (readonly string[])[];
  readonly forbidden?: readonly string[];
}

export interface NewProvider {
  readonly uuid?: string;
  readonly name: string;
  readonly parentUuid?: string | null;
}

@Injectable()
export class ProvidersService {
  constructor(private readonly core: PlacementCore) {}

  async get(_ctx: RequestContext, uuid: string): Promise<Provider> {
    return this.core.get(uuid);
  }

  /** In order of creation. Every filter narrows; names of traits and classes must exist (400). */
  async list(_ctx: RequestContext, filter: ProviderFilter): Promise<Provider[]> {
    await this.core.replica.sync();
    const { estate, names } = this.core.replica;
    const wanted = [...(filter.required ?? []).flat(), ...(filter.forbidden ?? [])];
    const unknown = [...new Set(wanted)].filter((t) => !names.traits.has(t)).sort();
    if (unknown.length)
      throw invalid(`Invalid trait(s) in "required" parameter: No such trait(s): ${unknown.join(', ')}.`, {
        code: 'trait.unknown',
      });
    for (const rc of filter.resources?.keys() ?? []) {
      if (!names.classes.has(rc))
        throw invalid(`Invalid resource class in resources parameter: No such resource class ${rc}.`, {
          code: 'resource_class.unknown',
        });
    }
    const tree = filter.inTree === undefined ? undefined : estate.provider(filter.inTree)?.tree;
    if (filter.inTree !== undefined && !tree) return [];
    const pool =
      filter.uuid !== undefined
        ? [estate.provider(filter.uuid)].filter((p) => p !== undefined)
        : (tree?.providers ?? [...estate.providers()]);
    return pool.filter((p) => (!tree || p.tree === tree) && suits(p, filter)).sort((a, b) => a.id - b.id);
  }

  /** 409 if the name or uuid is taken, 400 if the parent does not exist or is the provider itself. */
  async create(_ctx: RequestContext, wanted: NewProvider): Promise<Provider> {
    const uuid = wanted.uuid ?? randomUUID();
    await this.core
      .write((unit) => createProvider(unit, { ...wanted, uuid }))
      .catch((e: unknown) => {
        if (isDuplicateKey(e))
          throw conflict(`Conflicting resource provider name: ${wanted.name} already exists.`, {
            code: DUPLICATE_NAME,
            cause: e,
          });
        throw e;
      });
    return this.core.get(uuid);
  }

  /** Makes those that are missing, parents before children in the order given; the others are left as they are. */
  async ensure(ctx: RequestContext, wanted: readonly (NewProvider & { uuid: string })[]): Promise<Provider[]> {
    await this.core.replica.sync();
    const missing = wanted.filter((w) => !this.core.replica.estate.provider(w.uuid));
    if (missing.length) {
      const all = this.core.write(async (unit) => {
        for (const provider of missing) await createProvider(unit, provider);
      });
      // someone else may be making some of them: then one by one, so that a clash of one does not hold up the others
      await all.catch(() => this.ensureEach(ctx, missing));
    }
    await this.core.replica.sync();
    return Promise.all(wanted.map((w) => this.core.replica.estate.provider(w.uuid) ?? this.core.get(w.uuid)));
  }

  private async ensureEach(ctx: RequestContext, missing: readonly (NewProvider & { uuid: string })[]): Promise<void> {
    for (const provider of missing) {
      await this.create(ctx, provider).catch(async (e: unknown) => {
        if (!(await this.core.find(provider.uuid))) throw e;
      });
    }
  }

  /** Renames and moves. Moving away from a parent needs `reparent`. The generation stays. */
  async update(
    _ctx: RequestContext,
    uuid: string,
    change: { name: string; parentUuid?: string | null },
    rules: { reparent: boolean },
  ): Promise<Provider> {
    await this.core
      .write(async (unit) => {
        const before = await unit.lockByUuid(uuid);
        const provider =
          change.parentUuid === undefined ? before : await moveProvider(unit, before, change.parentUuid, rules);
        await unit.tx.execute('UPDATE resource_providers SET name = ? WHERE id = ?', [change.name, provider.id]);
        await unit.touch(provider, { generation: false });
      })
      .catch((e: unknown) => {
        if (isDuplicateKey(e))
          throw conflict(`Conflicting resource provider ${change.name} already exists.`, {
            code: DUPLICATE_NAME,
            cause: e,
          });
        throw e;
      });
    return this.core.get(uuid);
  }

  /** 409 while it has children or allocations. Takes its inventories, traits and aggregates along. */
  async remove(_ctx: RequestContext, uuid: string): Promise<void> {
    await this.core.write((unit) => removeProvider(unit, uuid));
  }
}

function suits(p: Provider, f: ProviderFilter): boolean {
  if (f.name !== undefined && p.name !== f.name) return false;
  if (f.memberOf && !f.memberOf.every((set) => set.some((a) => p.aggregates.has(a)))) return false;
  if (f.notMemberOf?.some((a) => p.aggregates.has(a))) return false;
  if (f.required && !f.required.every((set) => set.some((t) => p.traits.has(t)))) return false;
  if (f.forbidden?.some((t) => p.traits.has(t))) return false;
  return [...(f.resources ?? [])].every(([rc, n]) => canGive(p, rc, n));
}

async function createProvider(unit: WriteUnit, wanted: NewProvider & { uuid: string }): Promise<void> {
  const fail = (why: string): Error =>
    invalid(`Unable to create resource provider "${wanted.name}", ${wanted.uuid}: ${why}`, { code: 'provider.parent' });
  let parent: LockedProvider | undefined;
  if (wanted.parentUuid) {
    if (wanted.parentUuid === wanted.uuid)
      throw fail(
        'parent provider UUID cannot be same as UUID. Please set parent provider UUID to None if there is no parent.',
      );
    parent = await unit.lockByUuid(wanted.parentUuid).catch((e: unknown) => {
      throw isFractusError(e, 'not_found') ? fail('parent provider UUID does not exist.') : e;
    });
  }
  const taken = await unit.tx.query<{ uuid: string; name: string }>(
    'SELECT uuid, name FROM resource_providers WHERE uuid = ? OR name = ?',
    [wanted.uuid, wanted.name],
  );
  const clashes = [
    ...(taken.some((t) => t.uuid === wanted.uuid) ? [`uuid: ${wanted.uuid}`] : []),
    ...(taken.some((t) => t.name === wanted.name) ? [`name: ${wanted.name}`] : []),
  ];
  // one at a time, as the database itself would tell it
  if (clashes[0])
    throw conflict(`Conflicting resource provider ${clashes[0]} already exists.`, { code: DUPLICATE_NAME });
  const id = await unit.tx.insert('resource_providers', {
    uuid: wanted.uuid,
    name: wanted.name,
    generation: 0,
    revision: 1,
    parent_id: parent?.id ?? null,
    root_id: parent?.rootId ?? 0,
    created_at: unit.now,
    updated_at: unit.now,
  });
  if (!parent) await unit.tx.execute('UPDATE resource_providers SET root_id = id WHERE id = ?', [id]);
  unit.invalidate(parent?.rootId ?? id);
}

async function removeProvider(unit: WriteUnit, uuid: string): Promise<void> {
  const provider = await unit.lockByUuid(uuid, `No resource provider with uuid ${uuid} found for delete`);
  const [child] = await unit.tx.query(`SELECT id FROM resource_providers WHERE parent_id = ? LIMIT 1`, [provider.id]);
  if (child) {
    throw conflict(`Unable to delete parent resource provider ${uuid}: It has child resource providers.`, {
      code: 'placement.resource_provider.cannot_delete_parent',
    });
  }
  const [held] = await unit.tx.query('SELECT consumer_id FROM allocations WHERE provider_id = ? LIMIT 1', [
    provider.id,
  ]);
  if (held)
    throw conflict(`Unable to delete resource provider ${uuid}: Resource provider has allocations.`, {
      code: 'placement.resource_provider.inuse',
    });
  for (const table of ['inventories', 'provider_traits', 'provider_aggregates'])
    await unit.tx.execute(`DELETE FROM ${table} WHERE provider_id = ?`, [provider.id]);
  const [row] = await unit.tx.query<{ revision: number }>('SELECT revision FROM resource_providers WHERE id = ?', [
    provider.id,
  ]);
  await unit.tx.execute('DELETE FROM resource_providers WHERE id = ?', [provider.id]);
  // the sum of revisions tells which state of a tree is newer: what goes must not make it smaller
  if (provider.rootId !== provider.id) {
    await unit.tx.execute('UPDATE resource_providers SET revision = revision + ? WHERE id = ?', [
      Number(row?.revision ?? 0) + 1,
      provider.rootId,
    ]);
  }
  unit.invalidate(provider.rootId);
}
