import { Injectable } from '@nestjs/common';
import { isDuplicateKey } from '@fractus/database';
import { isCustomTrait, isStandardTrait } from '@fractus/os-traits';
import { type RequestContext, conflict, invalid, notFound } from '@fractus/objects';
import type { Provider } from '../domain/provider';
import { replaceTraits } from '../store/provider-rows';
import { CONCURRENT_UPDATE, checkGeneration } from '../store/write-unit';
import { PlacementCore } from './placement-core';

export interface TraitFilter {
  readonly names?: readonly string[];
  readonly prefix?: string;
  /** Only those that some provider has (true) or none has (false). */
  readonly associated?: boolean;
}

/** A name with the instant (epoch ms) it came into being. */
export interface NamedSince {
  readonly name: string;
  readonly updatedAt: number;
}

export const GENERATION_MOVED =
  "Resource provider's generation already changed. Please update the generation and try again.";

@Injectable()
export class TraitsService {
  constructor(private readonly core: PlacementCore) {}

  async list(_ctx: RequestContext, filter: TraitFilter): Promise<NamedSince[]> {
    await this.core.replica.sync();
    const table = this.core.replica.names.traits;
    const used = filter.associated === undefined ? undefined : this.usedTraits();
    return table
      .names()
      .filter(
        (n) =>
          (filter.names ? filter.names.includes(n) : true) &&
          n.startsWith(filter.prefix ?? '') &&
          (used ? used.has(n) === filter.associated : true),
      )
      .map((name) => ({ name, updatedAt: table.updatedAt(name) ?? 0 }));
  }

  async get(_ctx: RequestContext, name: string): Promise<NamedSince> {
    await this.core.replica.syncNames();
    const updatedAt = this.core.replica.names.traits.updatedAt(name);
    if (updatedAt === undefined) throw noTrait(name);
    return { name, updatedAt };
  }

  /** True when it is new. 400 unless it is a custom name. */
  async create(_ctx: RequestContext, name: string): Promise<{ created: boolean; trait: NamedSince }> {
    if (!isCustomTrait(name)) {
      throw invalid(
        'The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"',
        { code: 'trait.name' },
      );
    }
    for (let attempt = 1; attempt <= 10; attempt++) {
      const created = (await this.ensureCustom([name])).length > 0;
      // one that was there may have been removed since; one that we have made was there
      const updatedAt = this.core.replica.names.traits.updatedAt(name) ?? (created ? Date.now() : undefined);
      if (updatedAt !== undefined) return { created, trait: { name, updatedAt } };
    }
    throw conflict(`The trait ${name} was made and removed time and again.`, { code: CONCURRENT_UPDATE });
  }

  /** Makes the custom traits among the names that do not exist yet; returns those it made. */
  async ensureCustom(names: readonly string[]): Promise<string[]> {
    await this.core.replica.syncNames();
    const missing = [...new Set(names)].filter((n) => isCustomTrait(n) && !this.core.replica.names.traits.has(n));
    const made: string[] = [];
    for (const name of missing) {
      const insert = this.core.write(async (unit) => {
        await unit.tx.insert('traits', { name, updated_at: unit.now });
        unit.invalidateNames();
      });
      await insert.then(
        () => made.push(name),
        (e: unknown) => {
          if (!isDuplicateKey(e)) throw e; // someone else was faster
        },
      );
    }
    if (missing.length) await this.core.replica.syncNames();
    return made;
  }

  /** 404 unknown, 400 standard, 409 while a provider has it. */
  async remove(_ctx: RequestContext, name: string): Promise<void> {
    await this.core.write(async (unit) => {
      const [row] = await unit.tx.query<{ id: number }>(`SELECT id FROM traits WHERE name = ?${unit.forUpdate}`, [
        name,
      ]);
      if (!row) throw noTrait(name);
      if (isStandardTrait(name)) throw invalid(`Cannot delete standard trait ${name}.`, { code: 'trait.standard' });
      const [user] = await unit.tx.query('SELECT provider_id FROM provider_traits WHERE trait_id = ? LIMIT 1', [
        row.id,
      ]);
      if (user) throw conflict(`The trait ${name} is in use by a resource provider.`, { code: 'trait.inuse' });
      await unit.tx.execute('DELETE FROM traits WHERE id = ?', [row.id]);
      unit.invalidateNames();
    });
  }

  async ofProvider(_ctx: RequestContext, uuid: string): Promise<{ provider: Provider; traits: NamedSince[] }> {
    const provider = await this.core.get(uuid);
    return { provider, traits: this.named(provider.traits) };
  }

  /** Replaces the provider's traits. The generation grows only when they change. 409 generation, 400 unknown trait. */
  async setOnProvider(
    _ctx: RequestContext,
    uuid: string,
    generation: number,
    traits: readonly string[],
  ): Promise<{ generation: number; traits: NamedSince[] }> {
    const now = await this.core.writeNamed(async (unit) => {
      const provider = await unit.lockByUuid(uuid);
      checkGeneration(provider, generation, GENERATION_MOVED);
      const changed = await replaceTraits(unit, this.core.replica.names, provider, this.idsOf(traits));
      if (changed) await unit.touch(provider, { generation: true });
      return provider.generation;
    });
    return { generation: now, traits: this.named(new Set(traits)) };
  }

  /** Takes all traits off the provider. */
  async clearOnProvider(_ctx: RequestContext, uuid: string): Promise<void> {
    await this.core.writeNamed(async (unit) => {
      const provider = await unit.lockByUuid(uuid);
      if (await replaceTraits(unit, this.core.replica.names, provider, new Set()))
        await unit.touch(provider, { generation: true });
    });
  }

  /** 400 naming those that do not exist. */
  idsOf(traits: readonly string[]): Set<number> {
    const table = this.core.replica.names.traits;
    const unknown = [...new Set(traits)].filter((t) => !table.has(t));
    if (unknown.length) throw invalid(`No such trait ${unknown.join(', ')}`, { code: 'trait.unknown' });
    return new Set(traits.map((t) => table.id(t) ?? 0));
  }

  private named(traits: ReadonlySet<string>): NamedSince[] {
    const table = this.core.replica.names.traits;
    return [...traits]
      .sort((a, b) => (table.id(a) ?? 0) - (table.id(b) ?? 0))
      .map((name) => ({ name, updatedAt: table.updatedAt(name) ?? 0 }));
  }

  private usedTraits(): Set<string> {
    const used = new Set<string>();
    for (const provider of this.core.replica.estate.providers()) for (const t of provider.traits) used.add(t);
    return used;
  }
}

const noTrait = (name: string): Error => notFound(`No such trait(s): ${name}.`, { code: 'trait.unknown' });
