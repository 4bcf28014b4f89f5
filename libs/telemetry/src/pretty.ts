import type { DestinationStream } from 'pino';

const HIDDEN = new Set(['time', 'level', 'service', 'msg', 'request_id', 'err']);

/** Turns pino's JSON lines into `12:01:02.345 WARN compute-api [req-…] message key=value`. */
export function prettyStream(out: DestinationStream): DestinationStream {
  return { write: (line: string) => out.write(prettyLine(line)) };
}

function prettyLine(line: string): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const time = String(record['time']).slice(11, 23);
  const level = String(record['level']).toUpperCase().padEnd(5);
  const request = record['request_id'] ? ` [${String(record['request_id'])}]` : '';
  const rest = Object.entries(record)
    .filter(([k]) => !HIDDEN.has(k))
    .map(([k, v]) => ` ${k}=${typeof v === 'string' ? v : JSON.stringify(v)}`)
    .join('');
  const err = record['err'] as { stack?: string; message?: string } | undefined;
  const story = err ? `\n    ${(err.stack ?? err.message ?? '').replace(/\n/g, '\n    ')}` : '';
  return `${time} ${level} ${String(record['service'])}${request} ${String(record['msg'] ?? '')}${rest}${story}\n`;
}
