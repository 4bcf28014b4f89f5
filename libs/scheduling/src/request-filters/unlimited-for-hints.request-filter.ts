import { defineRequestFilter } from './request-filter';

const HINTS = ['group', 'same_host', 'different_host'] as const;

/** Hints about other servers may rule out all of a limited answer: then all candidates are asked for. */
export const unlimitedForHints = defineRequestFilter({
  name: 'unlimited_for_hints',
  apply: ({ schedulerHints }) => (HINTS.some((h) => schedulerHints[h]) ? { constraints: { unlimited: true } } : null),
});
