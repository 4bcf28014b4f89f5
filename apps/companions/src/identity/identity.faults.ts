import { STATUS_CODES } from 'node:http';
import type { FaultMapper } from '@fractus/http';

/** `{"error": {"code": 404, "title": "Not Found", "message": "…"}}` */
export const identityFaultMapper: FaultMapper = (fault) => ({
  body: { error: { code: fault.status, title: STATUS_CODES[fault.status] ?? 'Error', message: fault.message } },
});
