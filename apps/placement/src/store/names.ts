/** The names of traits and resource classes, both ways. Immutable: a change brings a new one. */
import type { Tx } from '@fractus/database';

interface NameRow {
  id: number;
  name: string;
  updated_at: number;
}

export class NameTable {
  private readonly byName = new Map<string, NameRow>();
  private readonly byId = new Map<number, NameRow>();

  constructor(rows: readonly NameRow[]) {
    for (const row of rows) {
      const clean = { id: Number(row.id), name: row.name, updated_at: Number(row.updated_at) };
      this.byName.set(clean.name, clean);
      this.byId.set(clean.id, clean);
    }
  }

  id(name: string): number | undefined {
    return this.byName.get(name)?.id;
  }
  name(id: number): string | undefined {
    return this.byId.get(id)?.name;
  }
  has(name: string): boolean {
    return this.byName.has(name);
  }
  /** Epoch milliseconds at which the name came into being. */
  updatedAt(name: string): number | undefined {
    return this.byName.get(name)?.updated_at;
  }
  /** In order of id. */
  names(): string[] {
    return [...this.byId.values()].sort((a, b) => a.id - b.id).map((r) => r.name);
  }
}

export interface Names {
  readonly traits: NameTable;
  readonly classes: NameTable;
}

export async function readNames(tx: Pick<Tx, 'query'>): Promise<Names> {
  return {
    traits: new NameTable(await tx.query<NameRow>('SELECT id, name, updated_at FROM traits')),
    classes: new NameTable(await tx.query<NameRow>('SELECT id, name, updated_at FROM resource_classes')),
  };
}
