/** What runs against a cloud in one process only, and why; everything else of e2e runs against either. */
module.exports = {
  'chaos/': 'kills the one process of the embedded cloud; distributed/kills.spec.ts kills each of many',
  'fuzz/': 'hostile input is refused before anything leaves the process; the edge is the same code in both',
  'stories/coverage.spec.ts': 'reads declarations, and asks no cloud',
};
