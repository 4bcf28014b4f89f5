/**
 * Stages in the short form that an empty answer of `getCandidates` carries: one number in and one out, and no checks
 * that every provider passes whatever it is. The whole of it is `explainCandidates`.
 */
import type { SearchStage } from '@fractus/rpc-contracts';
import { type Stage, TOGETHER } from '../domain/trace';

export function toSearchStages(stage: Stage): SearchStage[] {
  const { check, detail, resource } = stage;
  const group = stage.group ?? '';
  if (check === 'inventory') return absentOf(stage).map((absent) => ({ group, ...absent, in: 0, out: 0 }));
  if (check === 'combination') return refusalsOf(stage);
  if (resource) return [ofResource(stage, group, resource)];
  const inRoots = stage.group === null || (group === '' && check === 'required');
  const [before, after] = inRoots ? [stage.in.anchors, stage.out.anchors] : [stage.in.providers, stage.out.providers];
  return detail === TOGETHER && before === after ? [] : [{ group, check, detail, in: before, out: after }];
}

/** Where nobody has what is asked: the classes that nobody has, as resource checks that nobody was left for. */
function absentOf({ detail, reasons, in: { providers }, out }: Stage): Pick<SearchStage, 'check' | 'detail'>[] {
  if (out.providers > 0) return [];
  const asked = detail.split(',');
  const absent = asked.filter((a) => reasons.get(a.split(':')[0] ?? '') === providers);
  return (absent.length ? absent : asked).map((a) => ({ check: 'resource', detail: a }));
}

/** Only those that have the class at all are asked. */
function ofResource(
  { check, detail, reasons }: Stage,
  group: string,
  { offered, bestFree, bestMaxUnit }: NonNullable<Stage['resource']>,
): SearchStage {
  let refused = 0;
  for (const [reason, n] of reasons) if (reason !== 'no_inventory') refused += n;
  return {
    group,
    check,
    detail,
    in: offered,
    out: offered - refused,
    ...(bestFree === undefined ? {} : { bestFree }),
    ...(bestMaxUnit === undefined ? {} : { bestMaxUnit }),
  };
}

/** The checks over all groups in turn: how many roots each was the end of. */
function refusalsOf({ reasons, in: { anchors } }: Stage): SearchStage[] {
  let left = anchors;
  return [...reasons].map(([check, refused]) => {
    const before = left;
    left -= refused;
    return { group: '', check, detail: TOGETHER, in: before, out: left };
  });
}
