/** Verdicts on a Placement database and its policy file: those of upstream's `placement-status`, and what only ours has. */
import type { Database, DatabaseOptions } from '@fractus/database';
import { isFractusError } from '@fractus/objects';
import {
  count,
  failure,
  openAs,
  type Outcome,
  policyOutcome,
  schemaOutcome,
  success,
  together,
  type UpgradeCheck,
  warning,
} from '@fractus/operator';
import { placementRules } from '@fractus/policy';
import { openPlacementDatabase, PLACEMENT_MIGRATIONS } from '../store';

export interface StatusSubject {
  readonly url: string;
  readonly policyFile?: string;
  /** Rows of the change log that Placement keeps (its option `changeLogKeep`). */
  readonly changeLogKeep: number;
}

/** Rows that come between two trims, of which there is one a minute. */
const BETWEEN_TRIMS = 100_000;

export const STATUS_CHECKS: readonly UpgradeCheck<StatusSubject>[] = [
  {
    name: 'Schema',
    run: ({ url }) => schemaOutcome(url, 'placement', PLACEMENT_MIGRATIONS as DatabaseOptions['migrations']),
  },
  { name: 'Missing Root Provider IDs', run: (subject) => reading(subject, rootsOutcome) },
  { name: 'Incomplete Consumers', run: (subject) => reading(subject, consumersOutcome) },
  { name: 'Change Log', run: (subject) => reading(subject, (db) => changeLogOutcome(db, subject.changeLogKeep)) },
  {
    name: 'Policy File',
    run: async ({ policyFile }) => policyOutcome('placement', policyFile, placementRules),
  },
];

/** On a database whose schema is this release's; of another nothing is said twice. */
async function reading({ url }: StatusSubject, look: (db: Database) => Promise<Outcome>): Promise<Outcome> {
  let database: Database;
  try {
    database = await openAs(url, 'placement', (at) => openPlacementDatabase({ url: at, migrate: false, poolSize: 1 }));
  } catch (e) {
    if (isFractusError(e) && e.code === 'database.not_migrated')
      return warning('not looked at: the schema is behind this release');
    throw e;
  }
  return look(database).finally(() => database.close());
}

async function rootsOutcome(db: Database): Promise<Outcome> {
  const rootless = await counted(
    db,
    `SELECT COUNT(*) AS n FROM resource_providers p LEFT JOIN resource_providers r ON r.id = p.root_id
     WHERE r.id IS NULL OR r.parent_id IS NOT NULL OR (p.parent_id IS NULL AND p.root_id <> p.id)`,
  );
  const torn = await counted(
    db,
    `SELECT COUNT(*) AS n FROM resource_providers p LEFT JOIN resource_providers q ON q.id = p.parent_id
     WHERE p.parent_id IS NOT NULL AND (q.id IS NULL OR q.root_id <> p.root_id)`,
  );
  return together([
    rootless ? failure(`${count(rootless, 'resource provider')} without a root of its tree`) : success(),
    torn ? failure(`${count(torn, 'resource provider')} in another tree than its parent`) : success(),
  ]);
}

async function consumersOutcome(db: Database): Promise<Outcome> {
  const unknown = await counted(
    db,
    `SELECT COUNT(DISTINCT a.consumer_id) AS n FROM allocations a LEFT JOIN consumers c ON c.id = a.consumer_id
     WHERE c.id IS NULL`,
  );
  const idle = await counted(
    db,
    'SELECT COUNT(*) AS n FROM consumers c WHERE NOT EXISTS (SELECT 1 FROM allocations a WHERE a.consumer_id = c.id)',
  );
  return together([
    unknown ? warning(`allocations of ${count(unknown, 'consumer')} without a record`) : success(),
    idle ? warning(`${count(idle, 'consumer')} without allocations`) : success(),
  ]);
}

async function changeLogOutcome(db: Database, keep: number): Promise<Outcome> {
  const [state] = await db.query<{ trimmed: number }>('SELECT trimmed_through AS trimmed FROM placement_state');
  if (!state) return success('the database has not served yet');
  const [log] = await db.query<{ n: number; last: number | null }>(
    'SELECT COUNT(*) AS n, MAX(seq) AS last FROM change_log',
  );
  const rows = Number(log?.n ?? 0);
  const trimmed = Number(state.trimmed);
  if (rows > 0 && trimmed > Number(log?.last))
    return failure(
      `the change log ends at ${log?.last}, before what was trimmed (${trimmed}): replicas miss what is written. Put the whole database back, not single tables`,
    );
  if (rows > keep + BETWEEN_TRIMS)
    return warning(`the change log has ${rows} rows, of which ${keep} are kept: no Placement trims it`);
  return success();
}

const counted = async (db: Database, sql: string): Promise<number> =>
  Number((await db.query<{ n: number }>(sql))[0]?.n);
