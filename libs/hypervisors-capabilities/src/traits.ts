/** Whose a provider's traits are. */
import { CAPABILITY_TRAITS } from './capabilities';

/** Set by the agent itself, whatever the driver: what it is, whose it is, and whether its service is disabled. */
const OF_AGENT = ['COMPUTE_NODE', 'OWNER_NOVA', 'COMPUTE_STATUS_DISABLED'];

const OWNED: ReadonlySet<string> = new Set([...Object.values(CAPABILITY_TRAITS), ...OF_AGENT]);

export interface TraitShares {
  /** Those that the agent sets, as it last reported. */
  readonly owned: string[];
  /** Those that others gave the provider; null where the provider is not known. */
  readonly external: string[] | null;
  /** Reported, and not on the provider: the agent has not told Placement yet. Null as above. */
  readonly unset: string[] | null;
}

/**
 * Shares out traits. `reported`: what the host's agent says that it sets; `provider`: what Placement has, or null. A
 * trait of a capability or of the agent is never external, even where the report lacks it: it goes with the next sync.
 * All sorted.
 */
export function shareTraits(reported: readonly string[], provider: readonly string[] | null): TraitShares {
  const owned = [...new Set(reported)].sort();
  if (!provider) return { owned, external: null, unset: null };
  const mine = new Set(owned);
  const there = new Set(provider);
  const external = [...there].filter((t) => !mine.has(t) && !OWNED.has(t)).sort();
  return { owned, external, unset: owned.filter((t) => !there.has(t)) };
}
