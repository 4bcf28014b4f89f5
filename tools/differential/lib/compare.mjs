// Whether two answers are the same, and which differences are on purpose. Each of those has a row in docs/compatibility.md.
import { isDeepStrictEqual } from 'node:util';

/**
 * `row`: the first cell of the row in docs/compatibility.md that tells of it. `when`: whether a case is one of those;
 * `theirs` is {answer} or {error}, `ours` our answer.
 */
export const LISTED = [
  {
    row: 'extra specs that compare a number with what is none',
    when: ({ name }, _ours, theirs) => OPERATORS.has(name) && theirs.error === 'ValueError',
  },
  {
    row: 'extra spec `<or>` without a word after it',
    when: ({ name }, ours, theirs) => OPERATORS.has(name) && theirs.error === 'IndexError' && ours === false,
  },
  {
    row: 'hints `build_near_host_ip` and `cidr` that are no network',
    when: ({ name }, ours, theirs) => name === 'SimpleCIDRAffinityFilter' && 'error' in theirs && ours === false,
  },
  {
    row: "processors that do not fit the flavor's masks, memory encryption of an image without UEFI, `tpm-crb` with version 1.2",
    when: ({ kind }, _ours, theirs) =>
      kind === 'resources' && (UNFIT.has(theirs.error) || /^Memory encryption requested/.test(theirs.text ?? '')),
  },
  {
    row: 'image properties and flavor that contradict each other',
    when: ({ kind }, _ours, theirs) => kind !== 'filter' && CONTRADICTIONS.has(theirs.error),
  },
  {
    row: '`require_tenant_aggregate`',
    // of upstream's aggregates, ours are those whose own key names the project
    when: ({ name, aggregates, request }) =>
      name === 'require_tenant_aggregate' &&
      aggregates.some(({ metadata: m }) => {
        const keys = Object.keys(m).filter((k) => k.startsWith('filter_tenant_id'));
        return keys.length > 0 && !keys.some((k) => m[k] === request.projectId) && m.owner === request.projectId;
      }),
  },
  {
    row: 'an image property without a trait, with `image_metadata_prefilter`',
    when: ({ name }, ours, theirs) =>
      name === 'transform_image_metadata' && theirs.answer?.rootRequired.length === 0 && ours.rootRequired.length > 0,
  },
];

const OPERATORS = new Set(['ComputeCapabilitiesFilter', 'AggregateInstanceExtraSpecsFilter']);
/** What upstream raises where flavor and image say different things, or one of them what cannot be. */
const CONTRADICTIONS = new Set([
  'FlavorImageConflict',
  'ImageCPUPinningForbidden',
  'ImageCPUThreadPolicyForbidden',
  'ImagePCINUMAPolicyForbidden',
]);
const UNFIT = new Set([
  'Invalid',
  'InvalidMixedInstanceDedicatedMask',
  'RealtimeMaskNotFoundOrInvalid',
  'InvalidMachineType',
  'NotImplementedError', // memory encryption without an image, whose name is to be told
]);

/** `same`, `listed` (with its row) or `differs`. */
export function compare(theCase, ours, theirs) {
  if ('answer' in theirs && sameAnswer(ours, theirs.answer)) return { verdict: 'same' };
  const listed = LISTED.find(({ when }) => when(theCase, ours, theirs));
  return listed ? { verdict: 'listed', row: listed.row } : { verdict: 'differs' };
}

/** Floating point sums in another order end a little beside each other: a billionth is no difference. */
function sameAnswer(ours, theirs) {
  if (typeof theirs === 'number') return Math.abs(ours - theirs) <= 1e-9 * Math.max(1, Math.abs(theirs));
  if (typeof theirs !== 'object' || theirs === null || typeof ours !== 'object' || ours === null)
    return ours === theirs;
  const [mine, other] = [Object.keys(ours).sort(), Object.keys(theirs).sort()];
  return isDeepStrictEqual(mine, other) && other.every((key) => sameAnswer(ours[key], theirs[key]));
}
