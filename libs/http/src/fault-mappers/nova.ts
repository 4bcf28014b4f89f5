import type { FaultMapper } from '../faults';

/** Key of the error object by status (nova-api: a fault's class name on the wire). */
const NAME_BY_STATUS: Record<number, string> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

/** `{"itemNotFound": {"code": 404, "message": "…"}}`; a missing token is answered as Keystone's middleware does. */
export const novaFaultMapper: FaultMapper = (fault) => {
  if (fault.kind === 'unauthenticated') return { body: unauthorizedBody() };
  const { status, message } = fault;
  const name = NAME_BY_STATUS[status] ?? 'computeFault';
  // details are an addition of ours; clients of the API ignore keys that they do not know
  const details = fault.details ? { fractus: { code: fault.code, details: fault.details } } : {};
  const retry = status === 413 || status === 429 ? { retryAfter: String(fault.retryAfter ?? 0) } : {};
  return { body: { [name]: { code: status, message, ...retry, ...details } } };
};

/** The body of a 401 from Keystone's token middleware, which stands before Nova and Placement. */
export function unauthorizedBody(): object {
  return { error: { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' } };
}
