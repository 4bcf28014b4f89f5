/** What is done with tasks: over `TaskOperations` on compute's database; conductors find it in the row. */
import {
  HostsRepository,
  type Server,
  ServersRepository,
  type TaskDetail,
  type TaskFilter,
  TaskOperations,
  type TaskSummary,
} from '@fractus/compute-db';
import type { Database } from '@fractus/database';
import { type CloudPlaces, duration, EXIT, type ExitCode, openCompute, type Output, table } from '@fractus/operator';
import type { TaskType } from '@fractus/server-lifecycle';
import { redactSecrets } from '@fractus/telemetry';
import { explain, type Facts } from './explain';

/** One run of the command. */
export interface Session {
  readonly places: CloudPlaces;
  readonly json: boolean;
  readonly output: Output;
  readonly now: number;
}

export interface ListOptions {
  readonly state: TaskFilter | 'all';
  readonly type?: TaskType;
  readonly server?: string;
  readonly project?: string;
  readonly host?: string;
  readonly limit: number;
}

const PAGE = 500;

type Listed = TaskSummary & { readonly serverName: string | null; readonly serverHost: string | null };

export async function listTasks(session: Session, options: ListOptions): Promise<ExitCode> {
  return withDatabase(session, async (database) => {
    const found = await listed(database, options);
    if (session.json) session.output.out(JSON.stringify({ tasks: found }));
    else printList(session, found, options);
    return found.length > 0 ? EXIT.done : EXIT.none;
  });
}

/** Page by page until there are enough: a host is nothing that the table of tasks can be asked for. */
async function listed(database: Database, options: ListOptions): Promise<Listed[]> {
  const operations = new TaskOperations(database);
  const servers = new ServersRepository(database);
  const found: Listed[] = [];
  let marker: string | undefined;
  do {
    const page = await operations.list({
      limit: options.host === undefined ? Math.min(PAGE, options.limit - found.length) : PAGE,
      ...(options.state === 'all' ? {} : { filter: options.state }),
      ...(options.type === undefined ? {} : { type: options.type }),
      ...(options.server === undefined ? {} : { serverId: options.server }),
      ...(options.project === undefined ? {} : { projectId: options.project }),
      ...(marker === undefined ? {} : { marker }),
    });
    const known = new Map(
      (await servers.findMany([...new Set(page.map((t) => t.serverId))])).map((s): [string, Server] => [s.id, s]),
    );
    for (const task of page) {
      const server = known.get(task.serverId);
      if (options.host !== undefined && task.awaits !== options.host && server?.host !== options.host) continue;
      found.push({ ...task, serverName: server?.name ?? null, serverHost: server?.host ?? null });
    }
    marker = page.at(-1)?.id;
  } while (marker !== undefined && found.length < options.limit);
  return found.slice(0, options.limit);
}

function printList({ output, now }: Session, found: readonly Listed[], { state, limit }: ListOptions): void {
  if (found.length === 0) return output.out(`no ${state === 'all' ? '' : `${state} `}tasks`);
  const rows = found.map((t) => [
    t.id,
    t.type,
    t.endRequest && t.status === 'open' ? 'to be ended' : t.stuck ? 'stuck' : t.status,
    `${t.step || '–'}${t.attempt > 1 ? ` (${t.attempt})` : ''}`,
    duration(now - (t.finishedAt ?? t.stepAt)),
    t.serverId,
    t.serverName ?? '–',
    t.stuck ?? waits(t),
  ]);
  for (const line of table(['ID', 'TYPE', 'STATE', 'STEP', 'SINCE', 'SERVER', 'NAME', 'NOTE'], rows)) output.out(line);
  if (found.length === limit) output.out(`(the newest ${limit}; more by --limit)`);
}

function waits(t: TaskSummary): string {
  if (t.status !== 'open') return t.failure?.message ?? '';
  if (t.lease) return `${t.lease.owner} works on it`;
  if (t.awaits !== null) return `awaits ${t.awaits}`;
  return t.trouble ? `again soon: ${t.trouble.message}` : '';
}

export async function showTask(session: Session, id: string): Promise<ExitCode> {
  return withDatabase(session, async (database) => {
    const task = shownTask(await new TaskOperations(database).show(id));
    const facts = { now: session.now, hosts: await hostsOf(database, task) };
    if (session.json) session.output.out(JSON.stringify({ task, hosts: Object.fromEntries(facts.hosts) }));
    else for (const line of explain(task, facts)) session.output.out(line);
    return EXIT.done;
  });
}

/** Of the server no more than is told here; secrets replaced wherever they stand. */
function shownTask(task: TaskDetail): TaskDetail {
  if (task.server === null) return redactSecrets(task);
  const { name, vmState, taskState, powerState, host, deleted } = task.server;
  return redactSecrets({ ...task, server: { name, vmState, taskState, powerState, host, deleted } });
}

/** When each host that the task has to do with was last heard of. */
async function hostsOf(database: Database, task: TaskDetail): Promise<Facts['hosts']> {
  const names = [task.awaits, task.server?.host ?? null, ...task.hosts, ...task.left].filter((h) => h !== null);
  if (names.length === 0) return new Map();
  const services = await new HostsRepository(database).computeServices([...new Set(names)]);
  return new Map([...services].map(([host, { lastSeenAt, forcedDown }]) => [host, { lastSeenAt, forcedDown }]));
}

export async function retryTask(session: Session, id: string): Promise<ExitCode> {
  return withDatabase(session, async (database) => {
    const task = await new TaskOperations(database).retry(id);
    say(
      session,
      task,
      `task ${id}: step ${task.step || 'the first'} is due now; a conductor takes it up at its next look`,
    );
    return EXIT.done;
  });
}

export async function abandonTask(
  session: Session,
  id: string,
  { yes = false, by, reason }: { yes?: boolean; by: string; reason?: string },
): Promise<ExitCode> {
  return withDatabase(session, async (database) => {
    const operations = new TaskOperations(database);
    if (!yes) {
      const task = await operations.show(id);
      session.output.err(`not done: say --yes to have task ${id} (${task.type}, server ${task.serverId}) ended`);
      return EXIT.none;
    }
    const task = await operations.abandon(id, { by, ...(reason === undefined ? {} : { reason }) });
    say(
      session,
      task,
      `task ${id} is to be ended, asked by ${task.endRequest?.by}: a conductor does so at its next look`,
    );
    return EXIT.done;
  });
}

function say({ json, output }: Session, task: TaskSummary, line: string): void {
  output.out(json ? JSON.stringify({ task }) : line);
}

async function withDatabase(session: Session, work: (database: Database) => Promise<ExitCode>): Promise<ExitCode> {
  const database = await openCompute(session.places);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
