import type { ErrorKind } from '@fractus/objects';
import type { FaultMapper } from '@fractus/http';

const TYPE_BY_KIND: Partial<Record<ErrorKind, string>> = {
  invalid: 'HTTPBadRequest',
  unauthenticated: 'Unauthorized',
  forbidden: 'HTTPForbidden',
  not_found: 'HTTPNotFound',
  not_allowed: 'HTTPMethodNotAllowed',
  conflict: 'HTTPConflict',
  too_large: 'HTTPRequestEntityTooLarge',
  unavailable: 'ServiceUnavailable',
};

/** `{"NeutronError": {"type": "PortNotFound", "message": "…", "detail": ""}}` */
export const networkFaultMapper: FaultMapper = (fault) => {
  if (fault.kind === 'unauthenticated') {
    return {
      body: {
        error: { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' },
      },
    };
  }
  const named = /^network\.([A-Z]\w+)$/.exec(fault.code)?.[1];
  const type = named ?? TYPE_BY_KIND[fault.kind] ?? 'HTTPInternalServerError';
  return { body: { NeutronError: { type, message: fault.message, detail: '' } } };
};
