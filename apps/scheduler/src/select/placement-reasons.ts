/**
 * Which hosts Placement left out, and why each: the first check that each failed. It is asked only when no host was
 * found, once, and its failure fails nothing: the report then has the counts alone.
 */
import { isFractusError, type RequestContext } from '@fractus/objects';
import type { CandidateExplanation, ExplainedRoot, ExplainedStage } from '@fractus/rpc-contracts';
import type { CandidateQuery, HostReason, PlacementStage, ReportBuilder } from '@fractus/scheduling';
import type { SearchDeps } from './search';

type Deps = Pick<SearchDeps, 'cache' | 'placement'>;

/** The explanation, its hosts written into the report; undefined where Placement cannot give one. */
export async function explainPlacement(
  { cache, placement }: Deps,
  ctx: RequestContext,
  query: CandidateQuery,
  builder: ReportBuilder,
): Promise<CandidateExplanation | undefined> {
  const { limit: _, ...whole } = query;
  const explained = await placement.explainCandidates(ctx, whole).catch((e: unknown) => {
    if (!isFractusError(e)) throw e;
    return undefined;
  });
  if (!explained) return undefined;
  // where there were candidates, Placement has counted nothing yet
  if (!builder.soFar.some((s) => s.stage === 'placement')) builder.counted(explained.stages.map(stageOf));
  const now = Date.now();
  for (const root of explained.roots) {
    // roots that are no hosts only share with them
    const host = cache.view(root.rootId, now)?.host;
    if (host !== undefined) builder.host(() => reasonOf(root, host));
  }
  builder.omit(Math.max(0, explained.failedRoots - explained.roots.length));
  return explained;
}

/** Counts of roots, since a report is about hosts. */
const stageOf = ({ group, check, detail, in: before, out, bestFree, bestMaxUnit }: ExplainedStage): PlacementStage => ({
  stage: 'placement',
  group: group ?? '',
  check,
  detail,
  in: before.anchors,
  out: out.anchors,
  ...(bestFree === undefined ? {} : { best: { free: bestFree, maxUnit: bestMaxUnit ?? bestFree } }),
});

function reasonOf(root: ExplainedRoot, host: string): HostReason {
  const { check, detail, shortage } = root;
  const { have, need, sentence } = wordsOf(root, host);
  const code = `placement.${check}${shortage === undefined ? '' : `.${shortage}`}`;
  return { host, stage: 'placement', by: `${check} ${detail}`, code, have, need, sentence };
}

type Words = Pick<HostReason, 'have' | 'need' | 'sentence'>;

function wordsOf(root: ExplainedRoot, host: string): Words {
  const { check, detail, group } = root;
  const where = group ? ` (group ${group})` : '';
  switch (check) {
    case 'root_required':
    case 'required':
      return told(`without ${detail}`, detail, `${host} lacks ${detail}${where}.`);
    case 'root_forbidden':
    case 'forbidden':
      return told(detail, `no ${detail}`, `${host} has ${detail}, which is not wanted${where}.`);
    case 'inventory':
      return told('no inventory', detail, `${host} has not all of ${detail}${where}.`);
    case 'member_of':
      return told('other aggregates', detail, `${host} is in none of the aggregates ${detail}${where}.`);
    case 'not_member_of':
      return told(
        'a closed aggregate',
        `not in ${detail}`,
        `${host} is in ${detail}, which is closed to this${where}.`,
      );
    case 'in_tree':
      return told(host, detail, `${host} is not the host asked for${where}.`);
    case 'resource':
      return shortageOf(root, host, where);
    default:
      return told(`no ${check}`, detail, `${host} cannot meet all groups of the request together: ${check}.`);
  }
}

const told = (have: string, need: string, sentence: string): Words => ({ have, need, sentence });

const SHORTAGES: Readonly<Record<string, (have: number, need: number, name: string) => string>> = {
  min_unit: (have, need, name) => `gives at least ${have} ${name} at a time, and ${need} are asked for`,
  max_unit: (have, need, name) => `gives at most ${have} ${name} at a time, and ${need} are asked for`,
  step_size: (have, need, name) => `gives ${name} by ${have}, and ${need} are asked for`,
};

function shortageOf({ detail, have = 0, need = 0, shortage = '' }: ExplainedRoot, host: string, where: string): Words {
  const name = detail.split(':')[0] ?? detail;
  const words = SHORTAGES[shortage]?.(have, need, name) ?? `has ${have} ${name} free, and ${need} are asked for`;
  return { have, need, sentence: `${host} ${words}${where}.` };
}
