import { STATUS_CODES } from 'node:http';
import type { FaultInfo, FaultMapper } from '../faults';
import { unauthorizedBody } from './nova';

/** `{"errors": [{status, title, detail, request_id}]}`, the API working group's form as Placement uses it. */
export const placementFaultMapper: FaultMapper = (fault) =>
  fault.kind === 'unauthenticated' ? { body: unauthorizedBody() } : { body: { errors: [placementError(fault)] } };

/** One error object; Placement's app adds `code` from 1.23 on. */
export function placementError(fault: FaultInfo): Record<string, unknown> {
  return {
    status: fault.status,
    title: STATUS_CODES[fault.status] ?? 'Error',
    detail: fault.message,
    ...(fault.requestId ? { request_id: fault.requestId } : {}),
  };
}
