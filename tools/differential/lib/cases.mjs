// All subjects with their cases.
import fc from 'fast-check';
import { FILTER_CASES, OUR_NAME } from './filter-cases.mjs';
import { REQUEST_FILTER_CASES, RESOURCE_CASES, WEIGHT_CASES } from './other-cases.mjs';

const filterCase = ([name, { host, request, options = fc.constant({}) }]) => [
  name,
  fc.record({
    kind: fc.constant('filter'),
    name: fc.constant(name),
    ourName: fc.constant(OUR_NAME[name] ?? name),
    host,
    request,
    options,
  }),
];
const requestFilterCase = ([name, { request, aggregates = fc.constant([]), options = fc.constant({}) }]) => [
  name,
  fc.record({ kind: fc.constant('request_filter'), name: fc.constant(name), request, aggregates, options }),
];
const other = (kind, arb) => [kind, arb.map((c) => ({ kind, name: kind, ...c }))];

/** Subject → arbitrary of its cases. */
export const SUBJECTS = new Map([
  ...Object.entries(FILTER_CASES).map(filterCase),
  other('weights', WEIGHT_CASES),
  other('resources', RESOURCE_CASES),
  ...Object.entries(REQUEST_FILTER_CASES).map(requestFilterCase),
]);

/** The same cases for the same seed. */
export const sample = (subject, numRuns, seed) => fc.sample(SUBJECTS.get(subject), { numRuns, seed });
