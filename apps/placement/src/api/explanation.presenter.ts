/** The explanation of a candidates query, as docs/placement/explain.md describes it. It is the same in every version. */
import type { Explanation } from '../domain/explain';
import { sentenceOf } from '../domain/relaxations';
import type { Failure, Stage } from '../domain/trace';
import type { WouldFit } from '../domain/would-fit';

export function presentExplanation(explanation: Explanation): Record<string, unknown> {
  const { candidates, more, asked, stages, failedRoots, failures, wouldFitIf, truncated } = explanation;
  return {
    candidates: { count: candidates, more },
    asked,
    stages: stages.map(presentStage),
    roots: { failed: failedRoots, first_failures: failures.map(presentFailure) },
    would_fit_if: wouldFitIf.map(presentRelaxation),
    truncated,
  };
}

function presentStage({ reasons, resource, ...stage }: Stage): Record<string, unknown> {
  return {
    ...stage,
    ...(reasons.size ? { reasons: Object.fromEntries(reasons) } : {}),
    ...(resource ? { resource: presentResource(resource) } : {}),
  };
}

function presentResource({
  resourceClass,
  need,
  offered,
  bestFree,
  bestMaxUnit,
}: NonNullable<Stage['resource']>): Record<string, unknown> {
  return {
    class: resourceClass,
    need,
    offered,
    ...(bestFree === undefined ? {} : { best: { free: bestFree, max_unit: bestMaxUnit } }),
  };
}

function presentFailure({ root, shortage, ...failure }: Failure): Record<string, unknown> {
  return { uuid: root.uuid, name: root.name, ...failure, ...(shortage ? { reason: shortage } : {}) };
}

function presentRelaxation(fit: WouldFit): Record<string, unknown> {
  const { relax, group, detail, resource, anchors, atLeast } = fit;
  return {
    relax,
    group,
    detail,
    sentence: sentenceOf(fit),
    anchors,
    at_least: atLeast,
    ...(resource ? { resource: { class: resource.resourceClass, from: resource.from, to: resource.to } } : {}),
  };
}
