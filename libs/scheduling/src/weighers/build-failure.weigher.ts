import { defineWeigher } from './weigher';

/** Pushes hosts whose last builds failed to the end. */
export const buildFailureWeigher = defineWeigher({
  name: 'BuildFailureWeigher',
  multiplier: 'build_failure',
  sign: -1,
  what: 'builds failed in a row',
  weigh: ({ failedBuilds }) => failedBuilds,
});
