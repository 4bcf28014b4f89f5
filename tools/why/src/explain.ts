/** The last attempts of a server in one screen. Pure: everything is in the API's answers. */
import { count, table } from '@fractus/operator';

export interface Attempt {
  readonly operation: string;
  readonly outcome: string;
  readonly at: string;
  readonly duration_ms: number;
  readonly request_id: string;
  readonly summary: string;
  readonly host_count: number;
  readonly stages: readonly Stage[];
  /** Operators' view. */
  readonly chosen?: string | null;
  readonly weighed?: readonly Weighed[];
  readonly hosts?: readonly HostReason[];
  readonly hosts_omitted?: number;
}
interface Stage {
  readonly stage: string;
  readonly name?: string;
  readonly check?: string;
  readonly detail?: string;
  readonly constraints?: readonly string[];
  readonly in?: number;
  readonly out?: number;
  readonly reason?: { readonly sentence: string };
}
interface Weighed {
  readonly host: string;
  readonly weight: number;
  readonly parts: readonly { weigher: string; multiplier: number; normalised: number }[];
}
interface HostReason {
  readonly host: string;
  readonly code: string;
  readonly sentence: string;
}

export interface Known {
  readonly id: string;
  readonly server: Readonly<Record<string, unknown>> | undefined;
  readonly attempts: readonly Attempt[];
}

const MAX_HOSTS = 12;

export function explain({ id, server, attempts }: Known): string[] {
  const state = server
    ? `${text(server['name'])}  ${text(server['status'])}${server['OS-EXT-SRV-ATTR:host'] ? `, on ${text(server['OS-EXT-SRV-ATTR:host'])}` : ''}`
    : 'deleted, or not to be seen';
  const fault = (server?.['fault'] as { message?: string } | undefined)?.message;
  return [
    `server ${id}  ${state}`,
    ...(fault ? [`fault  ${fault}`] : []),
    ...(attempts.length === 0 ? ['', 'No attempt to schedule it is on record.'] : []),
    ...attempts.flatMap((a, i) => ['', ...attemptLines(a, i === 0)]),
  ];
}

/** The last one at length, those before it in two lines. */
function attemptLines(attempt: Attempt, whole: boolean): string[] {
  const { operation, outcome, at, duration_ms: ms, request_id: request, chosen } = attempt;
  const where = chosen ? ` → ${chosen}` : '';
  const head = `${at.slice(0, 19).replace('T', ' ')}Z  ${operation}: ${outcome}${where}  (${ms} ms, ${request})`;
  const lines = [head, `  ${attempt.summary}`];
  return whole ? [...lines, ...stageLines(attempt), ...weightLines(attempt), ...hostLines(attempt)] : lines;
}

function stageLines({ stages }: Attempt): string[] {
  const rows = stages.flatMap((s) => {
    const name = s.name ?? [s.check, s.detail].filter(Boolean).join(' ');
    if (s.stage === 'request_filter') {
      const says = s.reason?.sentence ?? s.constraints?.join(', ') ?? '';
      return says === '' ? [] : [['asks', name, says]];
    }
    if (s.in === undefined || s.out === undefined) return [];
    // a stage that lets all pass is no part of the answer
    return s.in === s.out ? [] : [[s.stage, name, `${s.in} → ${s.out}`]];
  });
  return rows.length === 0 ? [] : indent(table(['stage', 'by', 'hosts'], rows));
}

function weightLines({ weighed = [] }: Attempt): string[] {
  if (weighed.length < 2) return [];
  const rows = weighed.map((w) => [
    w.host,
    String(w.weight),
    w.parts.map((p) => `${p.weigher} ${round(p.multiplier * p.normalised)}`).join(', '),
  ]);
  return indent(table(['host', 'weight', 'of which'], rows));
}

function hostLines({ hosts = [], hosts_omitted: omitted = 0 }: Attempt): string[] {
  const more = hosts.length - MAX_HOSTS + omitted;
  const lines = hosts.slice(0, MAX_HOSTS).map((h) => `${h.sentence}  [${h.code}]`);
  return lines.length === 0 ? [] : indent([...lines, ...(more > 0 ? [`… and ${count(more, 'more reason')}`] : [])]);
}

const indent = (lines: readonly string[]): string[] => ['', ...lines.map((line) => `    ${line}`)];
const round = (n: number): number => Math.round(n * 1000) / 1000;
const text = (value: unknown): string => (typeof value === 'string' ? value : '–');
