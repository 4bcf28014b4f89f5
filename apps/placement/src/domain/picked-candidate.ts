import type { Pick } from './combinations';
import type { Provider } from './provider';
import type { Candidate } from './search';

/** A decision as a candidate; its maps are made when they are looked at, since thousands of them are heavy to keep. */
export class PickedCandidate implements Candidate {
  constructor(
    readonly anchor: Provider,
    private readonly pick: Pick,
  ) {}

  get givers(): readonly Provider[] {
    const { choices, chosen } = this.pick;
    return chosen.filter((_, i) => (choices[i]?.demand.length ?? 0) > 0);
  }

  get allocations(): Candidate['allocations'] {
    const allocations = new Map<Provider, Map<string, number>>();
    this.pick.chosen.forEach((provider, i) => {
      for (const [rc, n] of this.pick.choices[i]?.demand ?? []) {
        let amounts = allocations.get(provider);
        if (!amounts) allocations.set(provider, (amounts = new Map()));
        amounts.set(rc, (amounts.get(rc) ?? 0) + n);
      }
    });
    return allocations;
  }

  get mappings(): Candidate['mappings'] {
    const mappings = new Map<string, Provider[]>();
    this.pick.chosen.forEach((provider, i) => {
      const suffix = this.pick.choices[i]?.group.suffix ?? '';
      const mapped = mappings.get(suffix);
      if (!mapped) mappings.set(suffix, [provider]);
      else if (!mapped.includes(provider)) mapped.push(provider);
    });
    return mappings;
  }
}
