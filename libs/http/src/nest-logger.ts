import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@fractus/telemetry';

/** Nest's own lines: its start-up chatter at debug, its troubles as they are. */
export function nestLogger(logger: Logger): LoggerService {
  const at =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const fields = {
        nest: typeof context === 'string' ? context : undefined,
        ...(message instanceof Error ? { err: message } : {}),
      };
      logger[level](fields, message instanceof Error ? message.message : String(message));
    };
  return {
    log: at('debug'),
    debug: at('debug'),
    verbose: at('debug'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('error'),
  };
}
