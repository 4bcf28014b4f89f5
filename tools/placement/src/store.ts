/** What of Placement's own code its tools use: its schema, and nothing that serves. */
export { openPlacementDatabase, PLACEMENT_MIGRATIONS, renewEpoch, seedPlacement } from '@fractus/app-placement';
