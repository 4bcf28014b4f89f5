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

function sameAnswer(ours, theirs) {
  if (typeof theirs !== 'object') return ours === theirs;
  return isDeepStrictEqual(rounded(ours), rounded(theirs));
}

/** Sums of floating point come in another order; a millionth of a millionth is no difference. */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toPrecision(10)) + 0;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, rounded(v)]));
}
