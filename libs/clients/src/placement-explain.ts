/** Why a query found what it found, over REST. Ours tells it; upstream's has no such question. */
import { unimplemented, type RequestContext } from '@fractus/objects';
import type {
  CandidateExplanation,
  CandidateQuery,
  ExplainedRoot,
  ExplainedStage,
  QueryRelaxation,
  SearchCount,
} from '@fractus/rpc-contracts';
import type { PlacementApi } from './placement-api';
import { candidatesQuery } from './placement-candidates';
import { accepted, REFUSALS } from './placement-refusals';

interface WireStage extends Pick<ExplainedStage, 'group' | 'check' | 'detail' | 'in' | 'out'> {
  reasons?: Record<string, number>;
  resource?: { class: string; need: number; offered: number; best?: { free: number; max_unit: number } };
}
interface WireRoot extends Omit<ExplainedRoot, 'rootId' | 'shortage'> {
  uuid: string;
  reason?: string;
}
interface WireRelaxation extends Omit<QueryRelaxation, 'atLeast' | 'resourceClass' | 'from' | 'to'> {
  at_least: boolean;
  resource?: { class: string; from: number; to: number };
}
interface WireExplanation {
  candidates: { count: number; more: boolean };
  asked: SearchCount;
  stages: WireStage[];
  roots: { failed: number; first_failures: WireRoot[] };
  would_fit_if: WireRelaxation[];
  truncated: boolean;
}

/** @throws unimplemented `placement.explain` where Placement is not ours. */
export async function explainCandidates(
  api: PlacementApi,
  ctx: RequestContext,
  asked: CandidateQuery,
): Promise<CandidateExplanation> {
  const query = await candidatesQuery(api, ctx, asked);
  const path = '/allocation_candidates/explain';
  const answer = await api.call(ctx, { method: 'GET', path, query, accept: REFUSALS });
  if (answer.status === 404) {
    const sentence = 'This Placement does not explain why it finds no candidates.';
    throw unimplemented(sentence, { code: 'placement.explain' });
  }
  const wire = accepted(answer).body as WireExplanation;
  return {
    candidates: wire.candidates.count,
    more: wire.candidates.more,
    asked: wire.asked,
    stages: wire.stages.map(stageOf),
    failedRoots: wire.roots.failed,
    roots: wire.roots.first_failures.map(rootOf),
    wouldFitIf: wire.would_fit_if.map(relaxationOf),
    truncated: wire.truncated,
  };
}

function stageOf({ reasons = {}, resource, ...stage }: WireStage): ExplainedStage {
  if (!resource) return { ...stage, reasons };
  const { class: resourceClass, need, offered, best } = resource;
  const most = best ? { bestFree: best.free, bestMaxUnit: best.max_unit } : {};
  return { ...stage, reasons, resourceClass, need, offered, ...most };
}

const rootOf = ({ uuid, reason, ...root }: WireRoot): ExplainedRoot => ({
  rootId: uuid,
  ...root,
  ...(reason === undefined ? {} : { shortage: reason }),
});

const relaxationOf = ({ at_least, resource, ...relaxation }: WireRelaxation): QueryRelaxation => ({
  ...relaxation,
  atLeast: at_least,
  ...(resource ? { resourceClass: resource.class, from: resource.from, to: resource.to } : {}),
});
