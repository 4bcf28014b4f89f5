/**
 * Copies an upstream Placement database into ours.
 *
 * How it works. Three passes over the source, which is read in one snapshot: the survey compares every record with the
 * target and writes nothing (a dry run ends here); the copy writes what is missing, a batch a transaction; the proof
 * reads the whole target and compares rows and checksums, table by table. A run that was cut off has left whole
 * batches, so the next one goes on behind them, and one that has nothing to do finds that out.
 *
 * A target that holds anything that is not, word for word, the source's is refused: it is another cloud's, or has been
 * served since. Providers keep their numbers; classes and traits are found by their names.
 */
import { conflict, internal } from '@fractus/objects';
import { type Output, table } from '@fractus/operator';
import type { Source } from './source';
import type { Target } from './target';
import {
  type ConsumerRecord,
  type Lines,
  linesOfConsumer,
  linesOfNames,
  linesOfProvider,
  type ProviderRecord,
  sameLines,
  Sums,
  TABLES,
  type TableName,
} from './records';

export interface Survey {
  /** What is to stand in the target in the end. */
  readonly wanted: Sums;
  readonly there: Sums;
  /** Records of the target that differ, the first few. */
  readonly different: readonly string[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const MOST_TOLD = 20;

/** Compares; writes nothing. */
export async function survey(source: Source, target: Target, batch: number): Promise<Survey> {
  const [wanted, there] = [new Sums(), new Sums()];
  const different: string[] = [];
  const compare = (name: string, lines: Lines, have: Lines | undefined): void => {
    wanted.add(lines);
    if (!have) return;
    if (sameLines(lines, have)) there.add(have);
    else different.push(name);
  };
  await target.readNames();
  wanted.add(linesOfNames(source.names));
  there.add(linesOfNames(target.namesAmong(source.names)));
  for await (const page of source.providers(batch)) {
    const have = await providersThere(target, page);
    for (const p of page) compare(`provider ${p.uuid}`, linesOfProvider(p), linesIn(have.get(p.id), linesOfProvider));
  }
  for await (const page of source.consumers(batch)) {
    const have = await consumersThere(target, page);
    for (const c of page) compare(`consumer ${c.uuid}`, linesOfConsumer(c), linesIn(have.get(c.uuid), linesOfConsumer));
  }
  return { wanted, there, different, problems: [...source.problems], notes: source.notes };
}

const linesIn = <R>(record: R | undefined, linesOf: (record: R) => Lines): Lines | undefined =>
  record === undefined ? undefined : linesOf(record);
const providersThere = async (target: Target, page: readonly ProviderRecord[]): Promise<Map<number, ProviderRecord>> =>
  new Map((await target.providers(page.map((p) => p.id))).map((p) => [p.id, p]));
const consumersThere = async (target: Target, page: readonly ConsumerRecord[]): Promise<Map<string, ConsumerRecord>> =>
  new Map((await target.consumers(page.map((c) => c.uuid))).map((c) => [c.uuid, c]));

/** `conflict` `migrate.other_data` where the target holds what is not the source's. */
export async function refuseOtherData({ there, different }: Survey, target: Target): Promise<void> {
  const counts = await target.counts();
  const more = TABLES.filter((t) => counts[t] > there.of(t).rows);
  if (different.length === 0 && more.length === 0) return;
  const what =
    different.length > 0
      ? `${different.slice(0, 3).join(', ')} ${different.length > 3 ? `and ${different.length - 3} more ` : ''}are not as in the source`
      : `${more.join(', ')} hold rows that the source does not have`;
  throw conflict(
    `the target has data of its own: ${what}. It is of another cloud, or has been served since; to copy again, drop it, make it anew and run npm run migrate -- placement`,
    { code: 'migrate.other_data' },
  );
}

/** Writes what is missing. Nothing is written twice, whoever ran before. */
export async function copy(source: Source, target: Target, batch: number): Promise<void> {
  await target.addNames(source.names, Date.now());
  for await (const page of source.providers(batch)) {
    const have = await providersThere(target, page);
    await target.addProviders(page.filter((p) => !have.has(p.id)));
  }
  for await (const page of source.consumers(batch)) {
    const have = await consumersThere(target, page);
    await target.addConsumers(page.filter((c) => !have.has(c.uuid)));
  }
}

/** Reads the target again, whole; `internal` `migrate.not_the_same` where it is not what was to be copied. */
export async function prove({ wanted }: Survey, source: Source, target: Target, batch: number): Promise<Sums> {
  const found = new Sums();
  found.add(linesOfNames(target.namesAmong(source.names)));
  const ids = await target.database.query<{ id: number }>('SELECT id FROM resource_providers ORDER BY id');
  for (let i = 0; i < ids.length; i += batch)
    for (const p of await target.providers(ids.slice(i, i + batch).map((r) => Number(r.id))))
      found.add(linesOfProvider(p));
  const uuids = await target.database.query<{ uuid: string }>('SELECT uuid FROM consumers ORDER BY id');
  for (let i = 0; i < uuids.length; i += batch)
    for (const c of await target.consumers(uuids.slice(i, i + batch).map((r) => r.uuid))) found.add(linesOfConsumer(c));
  const wrong = TABLES.filter((t) => !equal(t, wanted, found));
  if (wrong.length > 0)
    throw internal(`the target is not the same as the source after copying: ${wrong.join(', ')}`, {
      code: 'migrate.not_the_same',
    });
  return found;
}

const equal = (name: TableName, a: Sums, b: Sums): boolean =>
  a.of(name).rows === b.of(name).rows && a.of(name).checksum === b.of(name).checksum;

/** What a survey has found, for people. */
export function tellSurvey({ wanted, there, problems, notes }: Survey, output: Output): void {
  const rows = TABLES.map((t) => [t, wanted.of(t).rows, there.of(t).rows, wanted.of(t).rows - there.of(t).rows]);
  for (const text of table(['TABLE', 'SOURCE', 'THERE', 'TO COPY'], rows.map((r) => r.map(String)))) output.out(text); // prettier-ignore
  for (const note of notes) output.out(`note: ${note}`);
  for (const problem of problems.slice(0, MOST_TOLD)) output.out(`cannot be copied: ${problem}`);
  if (problems.length > MOST_TOLD) output.out(`cannot be copied: ${problems.length - MOST_TOLD} more`);
}

export function tellProof(found: Sums, output: Output): void {
  const rows = TABLES.map((t) => [t, String(found.of(t).rows), found.of(t).checksum]);
  for (const text of table(['TABLE', 'ROWS', 'CHECKSUM (both sides)'], rows)) output.out(text);
}
