/** The providers of a source and their trees. Roots are found by the parents where older releases tell none. */

export interface Plant {
  readonly id: number;
  readonly uuid: string;
  readonly name: string | null;
  readonly parentId: number | null;
  readonly rootId: number | null;
}

export interface Place {
  readonly uuid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly rootId: number;
}

export class Forest {
  /** Providers that cannot be copied, and why. */
  readonly problems: string[] = [];
  /** How many providers are told to have no root. */
  readonly rootless: number;
  private readonly plants: ReadonlyMap<number, Plant>;
  private readonly places = new Map<number, Place>();

  constructor(plants: readonly Plant[], longestName = Infinity) {
    this.plants = new Map(plants.map((p) => [p.id, p]));
    this.rootless = plants.filter((p) => p.rootId === null).length;
    for (const plant of plants) {
      const rootId = this.rootOf(plant);
      const problem = this.problemOf(plant, rootId, longestName);
      if (problem !== undefined) this.problems.push(`provider ${plant.id} (${plant.uuid}): ${problem}`);
      else if (rootId !== null && plant.name !== null)
        this.places.set(plant.id, { uuid: plant.uuid, name: plant.name, parentId: plant.parentId, rootId });
    }
    this.refuseOrphans();
  }

  /** What stands below one that cannot be copied cannot be either. */
  private refuseOrphans(): void {
    for (const plant of this.plants.values()) {
      if (!this.places.has(plant.id)) continue;
      let above = plant.parentId;
      while (above !== null && this.places.has(above)) above = this.plants.get(above)?.parentId ?? null;
      if (above === null) continue;
      this.problems.push(`provider ${plant.id} (${plant.uuid}): provider ${above} above it cannot be copied`);
      this.places.delete(plant.id);
    }
  }

  /** Of those that can be copied, in order. */
  ids(): number[] {
    return [...this.places.keys()].sort((a, b) => a - b);
  }

  has(id: number): boolean {
    return this.places.has(id);
  }

  /** It exists and cannot be copied. */
  refused(id: number): boolean {
    return this.plants.has(id) && !this.places.has(id);
  }

  place(id: number): Place {
    const place = this.places.get(id);
    if (!place) throw new Error(`provider ${id} has no place`);
    return place;
  }

  /** By the parents; null where they lead nowhere or in a circle. */
  private rootOf(plant: Plant): number | null {
    const seen = new Set<number>();
    for (let at: Plant | undefined = plant; at && !seen.has(at.id); at = this.plants.get(at.parentId ?? NaN)) {
      if (at.parentId === null) return at.id;
      seen.add(at.id);
    }
    return null;
  }

  private problemOf(plant: Plant, rootId: number | null, longestName: number): string | undefined {
    if (plant.name === null) return 'it has no name';
    if (plant.name.length > longestName) return `its name is longer than ${longestName}`;
    if (rootId === null) return `its parent ${plant.parentId} does not exist, or is below it`;
    if (plant.rootId !== null && plant.rootId !== rootId)
      return `its root is told to be ${plant.rootId}, its parents lead to ${rootId}`;
    return undefined;
  }
}
