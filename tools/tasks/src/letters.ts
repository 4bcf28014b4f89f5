/** Dead letters in words; what may be secret in them is left out. */
import { duration, instant } from '@fractus/operator';
import type { DeadLetter } from '@fractus/rpc';
import { redactSecrets } from '@fractus/telemetry';

/** A letter as it may be shown: its text read, secrets replaced. Text that is no JSON is not shown, for nobody knows what is in it. */
export interface ShownLetter extends Omit<DeadLetter, 'body'> {
  readonly requestId?: string;
  readonly serverId?: string;
  readonly taskId?: string;
  readonly body: unknown;
}

export function shown({ body: text, ...rest }: DeadLetter): ShownLetter {
  const body = readable(text);
  const { ctx, data } = (typeof body === 'object' && body !== null ? body : {}) as {
    ctx?: { requestId?: unknown };
    data?: Record<string, unknown> | null;
  };
  const operation = (data?.['operation'] ?? data) as Record<string, unknown> | null | undefined;
  const word = (name: string, value: unknown): object => (typeof value === 'string' ? { [name]: value } : {});
  return {
    ...rest,
    ...word('requestId', ctx?.requestId),
    ...word('serverId', operation?.['serverId']),
    ...word('taskId', operation?.['taskId']),
    body,
  };
}

function readable(text: string): unknown {
  try {
    return redactSecrets(JSON.parse(text) as unknown);
  } catch {
    return `[${Buffer.byteLength(text)} bytes that are no JSON]`;
  }
}

export const HEADING = ['ID', 'MESSAGE', 'FROM', 'TO', 'AGE', 'TRIES', 'SERVER', 'REASON'];

export const row = (l: ShownLetter, now: number): string[] => [
  l.id,
  l.pattern,
  l.sender || '–',
  l.host ?? l.topic,
  duration(now - l.deadAt),
  String(l.attempts),
  l.serverId ?? '–',
  firstLine(l.reason),
];

export function lines(l: ShownLetter, now: number): string[] {
  const facts: [string, string | undefined][] = [
    ['letter', l.id],
    ['message', `${l.pattern}, to ${l.host === undefined ? l.topic : `${l.topic} of host ${l.host}`}`],
    ['from', l.sender || 'nobody that the broker vouches for'],
    ['died', `${instant(l.deadAt, now)}, after ${l.attempts} deliveries`],
    ['reason', l.reason],
    ['request', l.requestId],
    ['task', l.taskId],
    ['server', l.serverId],
  ];
  const told = facts.flatMap(([name, text]) => (text === undefined ? [] : [`${name.padEnd(8)} ${text}`]));
  return [...told, '', ...JSON.stringify(l.body, null, 2).split('\n')];
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
