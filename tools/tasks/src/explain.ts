/**
 * One task in words: what it waits for and since when, what it has done, what comes by itself, and what an operator
 * can do. Pure: everything is in the row and in what `Facts` adds.
 */
import type { TaskDetail } from '@fractus/compute-db';
import { duration, instant } from '@fractus/operator';

export interface Facts {
  readonly now: number;
  /** When a host was last heard of; null: never. Hosts that are not there have no service. */
  readonly hosts: ReadonlyMap<string, { readonly lastSeenAt: number | null; readonly forcedDown: boolean }>;
}

/** Where an open task stands, in the order of what counts first. */
type Stand = 'leased' | 'blocked' | 'waiting' | 'due' | 'paused';

export function explain(task: TaskDetail, facts: Facts): string[] {
  return [
    ...identity(task, facts),
    ...section('waits for', waitsFor(task, facts)),
    ...section('what has been done', history(task, facts)),
    ...section('what happens by itself', byItself(task, facts)),
    ...section('what you can do', choices(task)),
    ...section(
      'other tasks of the server',
      task.others.map((o) => `${o.id}  ${o.type}  ${o.status}  ${ago(o.createdAt, facts)}`),
    ),
  ];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : [];
const ago = (at: number, { now }: Facts): string => instant(at, now);
const stepOf = (task: TaskDetail): string => (task.step ? `step '${task.step}'` : 'its first step');

function identity(task: TaskDetail, facts: Facts): string[] {
  const { server, action } = task;
  const state =
    server && `${server.vmState}${server.taskState ? `, ${server.taskState}` : ''}${server.deleted ? ', deleted' : ''}`;
  const undo = task.direction === 'undo' ? ', being undone' : '';
  const lines: [string, string][] = [
    ['task', `${task.id}  ${task.type}`],
    ['state', task.status === 'open' ? `open at ${stepOf(task)}, attempt ${task.attempt}${undo}` : `${task.status} ${ago(task.finishedAt ?? task.updatedAt, facts)}`],
    ['server', `${task.serverId}${server ? `  ${server.name}  (${state}${server.host ? `, on ${server.host}` : ', on no host'})` : '  (its row is purged)'}`],
    ['asked for', `${ago(task.createdAt, facts)} by user ${task.userId ?? '–'} of project ${task.projectId}${action ? `, action ${action.action}` : ''}`],
    ['request', task.requestId],
  ]; // prettier-ignore
  if (task.stuck) lines.push(['stuck', task.stuck]);
  if (task.failure) lines.push(['failure', `${task.failure.message} (${task.failure.code})`]);
  if (task.failure?.details) lines.push(['', firstLine(task.failure.details)]);
  if (task.fault && task.fault.message !== task.failure?.message) lines.push(['fault', task.fault.message]);
  return lines.map(([name, text]) => `${name.padEnd(10)} ${text}`);
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

function standOf(task: TaskDetail, { now }: Facts): Stand {
  if (task.lease) return 'leased';
  if (predecessorLease(task) !== null) return 'blocked';
  if (task.awaits !== null) return 'waiting';
  return task.readyAt <= now ? 'due' : 'paused';
}

/** The task that this one took over from still has a lease: until when. */
function predecessorLease(task: TaskDetail): number | null {
  return task.others.find((other) => other.id === task.supersedes)?.lease?.until ?? null;
}

function waitsFor(task: TaskDetail, facts: Facts): string[] {
  if (task.status !== 'open') return [];
  const since = `since ${ago(task.stepAt, facts)}`;
  const trouble = task.trouble
    ? [`last trouble, ${ago(task.trouble.at, facts)}: ${task.trouble.message} (${task.trouble.code})`]
    : [];
  const repeated = task.retries > 0 ? [`repeated ${task.retries} times for troubles that pass`] : [];
  switch (standOf(task, facts)) {
    case 'leased':
      return [`nothing: ${task.lease?.owner} works on it, at ${stepOf(task)} ${since}`, ...repeated, ...trouble];
    case 'blocked':
      return [`the end of the task it took over from, ${task.supersedes}, which a conductor still holds`, ...trouble];
    case 'waiting':
      return [`the answer of host ${task.awaits} to ${stepOf(task)}, ${since}`, hostLine(task.awaits ?? '', facts), ...repeated, ...trouble]; // prettier-ignore
    case 'due':
      return [`a conductor: it has been due since ${ago(task.readyAt, facts)}`, ...repeated, ...trouble];
    case 'paused':
      return [`the end of a pause, ${ago(task.readyAt, facts)}`, ...repeated, ...trouble];
  }
}

function hostLine(host: string, { hosts, now }: Facts): string {
  const known = hosts.get(host);
  if (!known) return `no service of host ${host} is known`;
  if (known.forcedDown) return `host ${host} is forced down`;
  return known.lastSeenAt === null
    ? `host ${host} was never heard of`
    : `host ${host} was last heard of ${duration(now - known.lastSeenAt)} ago`;
}

function history(task: TaskDetail, facts: Facts): string[] {
  const events = task.events.map((e) => {
    const took = e.finishedAt === null ? 'not finished' : `${e.result ?? 'ended'} after ${((e.finishedAt - e.startedAt) / 1000).toFixed(1)} s`;
    return `${ago(e.startedAt, facts)}  ${e.event}${e.host ? ` on ${e.host}` : ''}: ${took}${e.details ? `: ${firstLine(e.details)}` : ''}`;
  }); // prettier-ignore
  const hosts = task.hosts.length > 0 ? [`operations were sent to: ${task.hosts.join(', ')}`] : [];
  const left = task.left.map((host) => `may have left a guest on ${host}, which could not be reached`);
  const results = Object.entries(task.results).filter(([, value]) => value !== null && value !== undefined);
  const kept = results.map(([name, value]) => `${name}: ${short(JSON.stringify(value))}`);
  const fence = task.fence > 0 ? [`leased until now under fence ${task.fence}`] : ['no conductor has leased it yet'];
  return [...events, ...hosts, ...left, ...kept, ...fence];
}

const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} …` : text);

function byItself(task: TaskDetail, facts: Facts): string[] {
  if (task.status !== 'open')
    return [
      'nothing more of this task; its row is removed a day after its end (keepTasksSeconds)',
      ...task.left.map((host) => `what is left on ${host} is destroyed when that host is heard of again`),
    ];
  const cap = `past ${ago(task.expiresAt, facts)} it is given up, whatever it hears`;
  if (task.endRequest) {
    const { by, at, reason } = task.endRequest;
    const asked = `${by} asked for its end ${ago(at, facts)}${reason ? ` (${reason})` : ''}`;
    return [`${asked}: ${task.lease ? `${task.lease.owner} does so at its step's end` : 'the next conductor that looks does so'}`, cap]; // prettier-ignore
  }
  return [next(task, facts), cap];
}

function next(task: TaskDetail, facts: Facts): string {
  switch (standOf(task, facts)) {
    case 'leased':
      return `should ${task.lease?.owner} die, another conductor takes over after ${ago(task.lease?.until ?? 0, facts)}; while it lives it renews that`;
    case 'blocked':
      return `it begins when that lease is let go, or runs out: ${ago(predecessorLease(task) ?? 0, facts)}`;
    case 'waiting':
      return `each sign of life of the host gives it more time; without one it is taken up as silent ${ago(task.readyAt, facts)}, and asks once more, goes on without that host, or fails and is undone, as its step has it`;
    case 'due':
      return 'the first conductor that looks takes it up; each looks every second. If none does, none runs, or none reaches the database';
    case 'paused':
      return `${stepOf(task)} is run again at the end of the pause`;
  }
} // prettier-ignore

function choices(task: TaskDetail): string[] {
  if (task.status !== 'open') return ['nothing: it has ended'];
  const retry = task.lease
    ? 'is refused while a conductor holds it'
    : `runs ${stepOf(task)} again now, in the same attempt (what the host has done, it does not do twice); repetitions and the cap count anew${task.endRequest ? '; the wish to end it is withdrawn' : ''}`;
  return [`retry    ${retry}`, `abandon  ${abandoning(task)}`];
}

function abandoning(task: TaskDetail): string {
  if (task.endRequest) return 'has been asked for';
  if (task.direction === 'undo')
    return 'gives up the undoing; what is left (guests, ports, allocations) is for the reconcilers';
  if (task.type === 'delete-server')
    return 'ends it as failed: nothing is undone, the server goes to ERROR and can be deleted again';
  const effect =
    task.type === 'build-server'
      ? 'the server goes to ERROR and holds nothing'
      : 'the server goes to the state of a failed action';
  return `ends it as if ${stepOf(task)} had failed: its steps are undone, ${effect}, with a fault that names you`; // prettier-ignore
}
