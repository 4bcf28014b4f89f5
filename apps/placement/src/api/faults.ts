/** Errors in Placement's form: `{"errors": [{status, title, detail, request_id, code}]}`. */
import { STATUS_CODES } from 'node:http';
import { type FaultInfo, type FaultMapper, placementFaultMapper } from '@fractus/http';
import { isFractusError } from '@fractus/objects';
import { type Operation, type Version, compareVersions, negotiate, versionHeaders } from '@fractus/microversions';
import type { FastifyRequest } from 'fastify';
import { PLACEMENT_API } from './versions';

const CODES_SINCE: Version = '1.23';
const UNDEFINED = 'placement.undefined_code';

/** The mapper of an API with these operations. */
export function placementFaults(operations: readonly Operation[]): FaultMapper {
  const byName = new Map(operations.map((o) => [o.name, o]));
  return (fault, request) => {
    if (!request) return placementFaultMapper(inOurWords(fault, request), request);
    const { version, problem } = versionOf(request);
    const told = firstProblem(fault, request, {
      byName,
      ...(version === undefined ? {} : { version }),
      ...(problem ? { problem } : {}),
    });
    const shaped = placementFaultMapper(told, request);
    const [error] = (shaped.body as { errors?: Record<string, unknown>[] }).errors ?? [];
    if (error && version !== undefined && compareVersions(version, CODES_SINCE) >= 0)
      error['code'] = told.code.startsWith('placement.') ? told.code : UNDEFINED;
    if (error && told.code === 'microversion.range')
      Object.assign(error, { min_version: PLACEMENT_API.min, max_version: PLACEMENT_API.max });
    return {
      ...shaped,
      ...(error ? asAccepted(request.headers.accept, told, shaped.body) : {}),
      status: told.status,
      headers: {
        ...shaped.headers,
        ...(told.allow ? { allow: told.allow.join(', ') } : {}),
        ...(version === undefined ? { vary: VARY } : versionHeadersOf(version)),
      },
    };
  };
}

interface Seen {
  readonly byName: ReadonlyMap<string, Operation>;
  readonly version?: Version;
  readonly problem?: FaultInfo;
}

/** The version is looked at before the path, and the path before the body, whatever was noticed first. */
function firstProblem(fault: FaultInfo, request: FastifyRequest, { byName, version, problem }: Seen): FaultInfo {
  if (problem && request.is404) return problem;
  if (fault.code.startsWith('body.') && version !== undefined) {
    const operation = byName.get(`${request.method} ${(request.routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}')}`);
    if (operation && !operation.exists(version))
      return {
        ...fault,
        kind: 'not_found',
        status: 404,
        code: 'microversion.absent',
        message: 'The resource could not be found.',
      };
  }
  return inOurWords(fault, request);
}

/** Clients that take no JSON get the error as a page or as text. */
function asAccepted(
  accept: string | undefined,
  fault: FaultInfo,
  body: unknown,
): { body?: unknown; contentType?: string } {
  if (accept === undefined || acceptsJson(accept)) return { body };
  const title = STATUS_CODES[fault.status] ?? 'Error';
  if (!accept.includes('text/html'))
    return { body: `${fault.status} ${title}\n\n${fault.message}\n`, contentType: 'text/plain; charset=UTF-8' };
  const safe = fault.message.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  return {
    body: `<html><head><title>${fault.status} ${title}</title></head><body><h1>${fault.status} ${title}</h1>${safe}</body></html>`,
    contentType: 'text/html; charset=UTF-8',
  };
}

/** Whether an Accept header takes JSON. */
export function acceptsJson(accept: string): boolean {
  if (accept.trim() === '') return true;
  return accept.split(',').some((part) => {
    const [range = '', ...params] = part.split(';').map((p) => p.trim().toLowerCase());
    return ['*/*', 'application/*', 'application/json'].includes(range) && !params.some((p) => /^q=0(\.0*)?$/.test(p));
  });
}

const VARY = 'openstack-api-version';
const versionHeadersOf = (version: Version): Record<string, string> => ({
  ...versionHeaders(PLACEMENT_API, version),
  vary: VARY,
});

function versionOf(request: FastifyRequest): { version?: Version; problem?: FaultInfo } {
  if (request.fractusVersion) return { version: request.fractusVersion };
  try {
    return { version: negotiate(PLACEMENT_API, request.headers) };
  } catch (e) {
    if (!isFractusError(e)) throw e;
    const status = e.kind === 'not_acceptable' ? 406 : 400;
    return { problem: { kind: e.kind, status, code: e.code, message: e.message, requestId: request.id } };
  }
}

/** The edge's own refusals in the words that clients of Placement know. */
function inOurWords(fault: FaultInfo, request: FastifyRequest | null): FaultInfo {
  switch (fault.code) {
    case 'body.type':
      return { ...fault, message: mediaTypeMessage(request?.headers['content-type']) };
    case 'body.json':
    case 'body.encoding':
    case 'body.depth':
      return { ...fault, message: `Malformed JSON: ${fault.message.replace(/^Malformed request body: /, '')}` };
    case 'policy':
      return { ...fault, message: fault.message.replace("Policy doesn't allow", 'Policy does not allow') };
    default:
      return fault;
  }
}

export const mediaTypeMessage = (type: string | undefined): string =>
  `The media type ${type ?? 'None'} is not supported, use application/json`;
