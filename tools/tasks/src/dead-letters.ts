/**
 * Dead letters, which only the broker has. A letter that is sent again goes out under our own broker user, with the
 * first sender's name in a header: receivers believe it only of users they trust (their own, and `trustedUsers`).
 */
import { invalid, isFractusError } from '@fractus/objects';
import { count, EXIT, type ExitCode, openBroker, sentenceOf, table } from '@fractus/operator';
import type { DeadLetter, DeadLetters } from '@fractus/rpc';
import { HEADING, lines, row, shown } from './letters';
import type { Session } from './tasks';

interface Chosen {
  readonly all?: boolean;
  readonly topic?: string;
}

export function listLetters(session: Session, topic?: string): Promise<ExitCode> {
  return withLetters(session, async (letters) => {
    const found = (await letters.list(topic)).map(shown);
    const { json, output, now } = session;
    if (json) output.out(JSON.stringify({ deadLetters: found.map(({ body: _body, ...rest }) => rest) }));
    else if (found.length === 0) output.out('no dead letters');
    else for (const line of table(HEADING, found.map((l) => row(l, now)))) output.out(line); // prettier-ignore
    return found.length > 0 ? EXIT.done : EXIT.none;
  });
}

export function showLetter(session: Session, id: string): Promise<ExitCode> {
  return withLetters(session, async (letters) => {
    const letter = (await letters.list()).find((l) => l.id === id);
    if (!letter) return missing(session, id);
    const told = shown(letter);
    if (session.json) session.output.out(JSON.stringify({ deadLetter: told }));
    else for (const line of lines(told, session.now)) session.output.out(line);
    return EXIT.done;
  });
}

export function retryLetters(session: Session, id: string | undefined, options: Chosen): Promise<ExitCode> {
  return withLetters(session, async (letters, user) => {
    const chosen = await choose(letters, id, options);
    if (chosen.length === 0) return missing(session, id);
    warnOfTrust(session, user, chosen);
    return each(session, chosen, 'sent again', (letter) => letters.retry(letter.id));
  });
}

export function dropLetters(
  session: Session,
  id: string | undefined,
  options: Chosen & { yes?: boolean },
): Promise<ExitCode> {
  return withLetters(session, async (letters) => {
    const chosen = await choose(letters, id, options);
    if (chosen.length === 0) return missing(session, id);
    if (!options.yes) {
      session.output.err(`not done: say --yes to forget ${count(chosen.length, 'letter')}`);
      return EXIT.none;
    }
    return each(session, chosen, 'dropped', (letter) => letters.drop(letter.id));
  });
}

async function choose(letters: DeadLetters, id: string | undefined, { all, topic }: Chosen): Promise<DeadLetter[]> {
  if ((id === undefined) === !all) throw invalid('give the id of one letter, or --all', { code: 'tasks.letters' });
  const found = await letters.list(topic);
  return id === undefined ? found : found.filter((letter) => letter.id === id);
}

/** Each by itself: one that cannot be sent again stays where it is, and does not keep the others. */
async function each(
  { json, output }: Session,
  chosen: readonly DeadLetter[],
  done: string,
  work: (letter: DeadLetter) => Promise<void>,
): Promise<ExitCode> {
  const failed: { id: string; why: string }[] = [];
  for (const letter of chosen) {
    try {
      await work(letter);
      if (!json) output.out(`${letter.id}: ${done} (${letter.pattern})`);
    } catch (e) {
      if (!isFractusError(e)) throw e;
      failed.push({ id: letter.id, why: sentenceOf(e) });
      if (!json) output.err(`${letter.id}: not ${done}: ${sentenceOf(e)}`);
    }
  }
  const left = new Set(failed.map((f) => f.id));
  if (json)
    output.out(JSON.stringify({ [done === 'dropped' ? 'dropped' : 'sent']: chosen.map((l) => l.id).filter((i) => !left.has(i)), failed })); // prettier-ignore
  return failed.length === 0 ? EXIT.done : EXIT.none;
}

/** What is not ours and not vouched for arrives as ours: a report of an agent is then dropped by conductor. */
function warnOfTrust({ places, output }: Session, user: string, chosen: readonly DeadLetter[]): void {
  const foreign = new Set(chosen.map((l) => l.sender ?? '').filter((sender) => sender !== user));
  if (foreign.size === 0 || places.folder !== undefined) return;
  output.err(
    `note: sent as broker user ${user} on behalf of ${[...foreign].map((s) => s || 'nobody').join(', ')}; ` +
      `a service of another broker user takes that only if FRACTUS_<SERVICE>_RPC_TRUSTED_USERS names ${user}`,
  );
}

function missing({ json, output }: Session, id: string | undefined): ExitCode {
  if (json) output.out(JSON.stringify({ deadLetters: [] }));
  else output.err(id === undefined ? 'no dead letters' : `there is no dead letter ${id}`);
  return EXIT.none;
}

async function withLetters(
  session: Session,
  work: (letters: DeadLetters, user: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { places } = session;
  if (places.kind === 'embedded')
    throw invalid(
      'a cloud in one process keeps its dead letters in its memory alone; its log tells of each: "a cast was dead-lettered"',
      { code: 'tasks.embedded' },
    );
  const transport = await openBroker(places, 'tasks');
  try {
    return await work(transport.deadLetters, userOf(places.rpc?.urls[0] ?? '', places.rpc?.user));
  } finally {
    await transport.close();
  }
}

const userOf = (url: string, user: string | undefined): string =>
  user ?? (decodeURIComponent(new URL(url).username) || 'guest');
