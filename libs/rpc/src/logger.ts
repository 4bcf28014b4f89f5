import { Logger } from '@nestjs/common';
import type { RpcLogger } from './transport';

/** Nest's own logger in the shape this library uses; the default where the caller brings none. */
export function nestLogger(context = 'Rpc'): RpcLogger {
  const logger = new Logger(context);
  return {
    warn: (fields, message) => logger.warn({ ...fields, message }),
    error: (fields, message) => logger.error({ ...fields, message }),
  };
}
