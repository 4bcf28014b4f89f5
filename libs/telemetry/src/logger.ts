import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { RequestContext } from '@fractus/objects';
import { prettyStream } from './pretty';
import { redactSecrets, SECRET_SERIALIZERS } from './redact';

export type Logger = PinoLogger;
/** From most to least; `silent` writes nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Name of the service; stands in every line. */
  service: string;
  /** Default `info`. */
  level?: LogLevel;
  /** Where lines go: a stream, or the path of a file that is appended to (its folder is made). Default stdout. */
  destination?: DestinationStream | string;
  /** One readable line a record instead of JSON. For people at a terminal. */
  pretty?: boolean;
}

/** A JSON logger with ISO times, the service's name and secrets redacted. */
export function createLogger(options: LoggerOptions): Logger {
  const { service, level = 'info', pretty = false } = options;
  const raw = typeof options.destination === 'object' ? options.destination : fileStream(options.destination ?? 1);
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactSecrets },
      serializers: { err: pino.stdSerializers.err, ...SECRET_SERIALIZERS },
    },
    pretty ? prettyStream(raw) : raw,
  );
}

/** What a log may keep in memory while it cannot be written; what comes on top is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

function fileStream(dest: string | number): DestinationStream {
  const stream = pino.destination({ dest, mkdir: true, append: true, sync: true, maxLength: MAX_WAITING_BYTES });
  // a full disk or a closed terminal costs lines of the log, never the service; the next line tries again
  stream.on('error', () => undefined);
  return stream;
}

/** A logger that says nothing; for tests and tools. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** The child logger of one request: every line carries the request id, and the server's id where one is at hand. */
export function requestLogger(logger: Logger, ctx: RequestContext, fields: { serverId?: string } = {}): Logger {
  return logger.child({
    request_id: ctx.requestId,
    ...(ctx.globalRequestId ? { global_request_id: ctx.globalRequestId } : {}),
    ...(fields.serverId ? { server_id: fields.serverId } : {}),
  });
}
