/** What runs against a cloud in one process only, and why; everything else of e2e runs against either. */
module.exports = {
  'chaos/': 'kills the one process of the embedded cloud; distributed/kills.spec.ts kills each of many',
  'fuzz/': 'hostile input is refused before anything leaves the process; the edge is the same code in both',
  'stories/cloud/placement-elsewhere.spec.ts':
    'starts the Placement that is elsewhere itself, and tells every service of it before the first one starts',
  'stories/coverage.spec.ts': 'reads declarations, and asks no cloud',
};
