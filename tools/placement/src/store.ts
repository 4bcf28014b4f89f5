/** What of Placement's own code its tools use: its schema, and nothing that serves. */
// eslint-disable-next-line no-restricted-imports -- a tool is no app: it may know one, as tools/doctor does
export { openPlacementDatabase, PLACEMENT_MIGRATIONS, renewEpoch, seedPlacement } from '@fractus/app-placement';
