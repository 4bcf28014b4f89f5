import { createLogger, type Logger } from '@fractus/telemetry';

export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A logger whose lines can be looked at. */
export function recordingLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  return { logger: createLogger({ service: 'conductor', level: 'debug', destination }), lines };
}
