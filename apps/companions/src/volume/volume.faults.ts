import type { FaultMapper } from '@fractus/http';

const NAMES: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

/** `{"itemNotFound": {"code": 404, "message": "…"}}`, as Cinder names them. */
export const volumeFaultMapper: FaultMapper = (fault) => ({
  body: { [NAMES[fault.status] ?? 'computeFault']: { code: fault.status, message: fault.message } },
});
