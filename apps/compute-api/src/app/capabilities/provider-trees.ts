import type { PlacementCaller } from '@fractus/clients';
import { isFractusError, type RequestContext, withTimeout } from '@fractus/objects';
import type { ProviderRecord } from '@fractus/rpc-contracts';

/** Nobody waits longer for Placement than this; what it would have said is then told as not known. */
const PATIENCE_MS = 5000;

/** A part of an answer that nobody could give. */
export interface UnknownPart {
  readonly part: string;
  readonly code: string;
  readonly message: string;
}

export type Trees =
  | { readonly known: true; readonly byRoot: ReadonlyMap<string, readonly ProviderRecord[]> }
  | { readonly known: false; readonly unknown: UnknownPart };

/** Whole trees of providers by their roots, in one call; a Placement that does not answer is no error. */
export async function providerTrees(
  placement: Pick<PlacementCaller, 'getTrees'>,
  ctx: RequestContext,
  rootIds: readonly string[],
): Promise<Trees> {
  if (rootIds.length === 0) return { known: true, byRoot: new Map() };
  try {
    const { providers } = await placement.getTrees(withTimeout(ctx, PATIENCE_MS), { rootIds: [...rootIds] });
    const byRoot = new Map<string, ProviderRecord[]>(rootIds.map((id) => [id, []]));
    for (const provider of providers) byRoot.get(provider.rootId)?.push(provider);
    return { known: true, byRoot };
  } catch (e) {
    if (!isFractusError(e)) throw e;
    const code = `placement.${e.kind}`;
    return { known: false, unknown: { part: 'placement', code, message: `Placement did not answer: ${e.message}` } };
  }
}
