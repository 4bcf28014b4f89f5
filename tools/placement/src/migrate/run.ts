/** `placement migrate`: opens both sides, and goes through the passes. */
import { conflict, invalid } from '@fractus/objects';
import { count, EXIT, type ExitCode, openAs, type Output } from '@fractus/operator';
import { openPlacementDatabase, renewEpoch, seedPlacement } from '../store';
import { connectedTo, openSource } from './connection';
import { copy, prove, refuseOtherData, survey, tellProof, tellSurvey } from './migrate';
import { Source } from './source';
import { Target } from './target';

export interface MigrateOptions {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun: boolean;
  readonly batch: number;
  /** Copies the rest where some rows cannot be. */
  readonly leaveOut: boolean;
}

export async function migrate({ from, to, ...options }: MigrateOptions, output: Output): Promise<ExitCode> {
  if (from === undefined || to === undefined)
    throw invalid('say what is copied: --from URL (or FRACTUS_MIGRATE_FROM) and --to URL (or FRACTUS_MIGRATE_TO)', {
      code: 'migrate.usage',
    });
  const connection = await openSource(from);
  try {
    const source = await Source.read(connection);
    if (!options.dryRun) await refuseInUse(to);
    const database = await openAs(to, 'placement', (url) =>
      openPlacementDatabase({ url, migrate: false, poolSize: 2 }),
    );
    try {
      return await migrateInto(source, new Target(database), options, output);
    } finally {
      await database.close();
    }
  } finally {
    await connection.close();
  }
}

/** Goes through the passes; `conflict` where the target is another's, or is written to meanwhile. */
export async function migrateInto(
  source: Source,
  target: Target,
  { dryRun, batch, leaveOut }: Omit<MigrateOptions, 'from' | 'to'>,
  output: Output,
): Promise<ExitCode> {
  const { database } = target;
  if (!dryRun) await seedPlacement(database);
  const before = await target.lastChange();
  const found = await survey(source, target, batch);
  tellSurvey(found, output);
  await refuseOtherData(found, target);
  const blocked = found.problems.length > 0 && !leaveOut;
  if (dryRun || blocked) {
    if (blocked) output.out(`${count(found.problems.length, 'row')} cannot be copied: --leave-out copies the rest`);
    else output.out('nothing was written (--dry-run)');
    return blocked ? EXIT.none : EXIT.done;
  }
  await copy(source, target, batch);
  const proof = await prove(found, source, target, batch);
  if ((await target.lastChange()) !== before)
    throw conflict('a Placement wrote to the target meanwhile: stop it, drop the database, and copy again', {
      code: 'migrate.in_use',
    });
  await renewEpoch(database);
  tellProof(proof, output);
  output.out('the target holds what the source holds; a new epoch is set');
  return EXIT.done;
}

/**
 * `conflict` `migrate.in_use` while others are connected to the target. A user without the right to see other users'
 * connections sees its own alone, and a file tells nothing: what a Placement writes meanwhile is found in the end.
 */
async function refuseInUse(url: string): Promise<void> {
  const others = await connectedTo(url);
  if (others.length === 0) return;
  throw conflict(
    `${count(others.length, 'connection')} of others to the target (${others[0]}): stop every Placement on it first`,
    { code: 'migrate.in_use' },
  );
}
