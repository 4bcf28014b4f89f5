/** Remembers suspects: only what is seen again, unchanged, after `afterMs` is acted upon. Kept in memory: a restart only waits longer. */
export class SeenTwice {
  private readonly since = new Map<string, { readonly mark: string; readonly at: number }>();

  constructor(
    private readonly afterMs: number,
    private readonly clock: () => number,
  ) {}

  /** Of these suspects (id → what must not have changed), those that are ripe. All others are forgotten. */
  ripe(suspects: ReadonlyMap<string, string>): string[] {
    const now = this.clock();
    for (const id of this.since.keys()) if (!suspects.has(id)) this.since.delete(id);
    const ripe: string[] = [];
    for (const [id, mark] of suspects) {
      const seen = this.since.get(id);
      if (seen?.mark !== mark) this.since.set(id, { mark, at: now });
      else if (now - seen.at >= this.afterMs) ripe.push(id);
    }
    return ripe;
  }
}
