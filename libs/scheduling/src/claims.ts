import type { Candidate } from './candidate-query';
import type { HostOffer, RankedHost } from './pipeline';
import { type ClaimStage, MAX_CLAIMS, type ReportBuilder } from './report';

/** `lost`: another claim was first; the next candidate may do. */
export type ClaimResult =
  { readonly claimed: true } | { readonly claimed: false; readonly code: string; readonly sentence: string };

export interface ClaimedHost {
  readonly host: HostOffer['host'];
  readonly candidate: Candidate;
  readonly weight: number;
  /** The other hosts in order, those whose claims were lost left out. */
  readonly rest: readonly RankedHost[];
}

/**
 * Claims on the first host that lets itself be claimed: all candidates of a host before the next host. An error thrown
 * by `claim` ends the search and goes to the caller; it is for what no other candidate would mend.
 */
export async function claimFirst(
  ranked: readonly RankedHost[],
  claim: (candidate: Candidate, host: RankedHost) => Promise<ClaimResult> | ClaimResult,
  builder: ReportBuilder,
): Promise<{ stage: Omit<ClaimStage, 'stage'>; claimed?: ClaimedHost }> {
  const reasons: Record<string, number> = {};
  let tries = 0;
  for (const [index, host] of ranked.entries()) {
    for (const candidate of host.candidates) {
      tries++;
      const result = await claim(candidate, host);
      const stage = { in: ranked.length, hosts: index + 1, tries, reasons };
      if (result.claimed) {
        const rest = ranked.slice(index + 1);
        return { stage: { ...stage, out: 1 }, claimed: { host: host.host, candidate, weight: host.weight, rest } };
      }
      const { code, sentence } = result;
      reasons[code] = (reasons[code] ?? 0) + 1;
      if (tries <= MAX_CLAIMS) {
        builder.host(() => ({
          host: host.host.host,
          stage: 'claim',
          by: 'claim',
          code,
          have: 'taken',
          need: 'free',
          sentence,
        }));
      }
    }
  }
  return { stage: { in: ranked.length, hosts: ranked.length, tries, out: 0, reasons } };
}
