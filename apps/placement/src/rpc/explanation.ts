/** The explanation of a query as a message. */
import type { CandidateExplanation, ExplainedRoot, ExplainedStage, QueryRelaxation } from '@fractus/rpc-contracts';
import type { Explanation } from '../domain/explain';
import { sentenceOf } from '../domain/relaxations';
import type { Failure, Stage } from '../domain/trace';
import type { WouldFit } from '../domain/would-fit';

export function toExplanationMessage(explanation: Explanation): CandidateExplanation {
  const { candidates, more, asked, stages, failedRoots, failures, wouldFitIf, truncated } = explanation;
  return {
    candidates,
    more,
    asked,
    stages: stages.map(toStage),
    failedRoots,
    roots: failures.map(toRoot),
    wouldFitIf: wouldFitIf.map(toRelaxation),
    truncated,
  };
}

function toStage({ reasons, resource, ...stage }: Stage): ExplainedStage {
  return { ...stage, reasons: Object.fromEntries(reasons), ...resource };
}

function toRoot({ root, ...failure }: Failure): ExplainedRoot {
  return { rootId: root.uuid, name: root.name, ...failure };
}

function toRelaxation(fit: WouldFit): QueryRelaxation {
  const { relax, group, detail, resource, anchors, atLeast } = fit;
  return { relax, group, detail, sentence: sentenceOf(fit), anchors, atLeast, ...resource };
}
