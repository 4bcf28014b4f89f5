/** Errors in Placement's form: `{"errors": [{status, title, detail, request_id, code}]}`. */
import { type FaultInfo, type FaultMapper, placementFaultMapper } from '@fractus/http';
import { isFractusError } from '@fractus/objects';
import { type Version, compareVersions, negotiate, versionHeaders } from '@fractus/microversions';
import type { FastifyRequest } from 'fastify';
import { PLACEMENT_API } from './versions';

const CODES_SINCE: Version = '1.23';
const UNDEFINED = 'placement.undefined_code';

export const placementFaults: FaultMapper = (fault, request) => {
  if (!request) return placementFaultMapper(inOurWords(fault, request), request);
  const { version, problem } = versionOf(request);
  // the version is looked at before the path is
  const told = problem && request.is404 ? problem : inOurWords(fault, request);
  const shaped = placementFaultMapper(told, request);
  const [error] = (shaped.body as { errors?: Record<string, unknown>[] }).errors ?? [];
  if (error && version !== undefined && compareVersions(version, CODES_SINCE) >= 0) error['code'] = told.code.startsWith('placement.') ? told.code : UNDEFINED;
  if (error && told.code === 'microversion.range') Object.assign(error, { min_version: PLACEMENT_API.min, max_version: PLACEMENT_API.max });
  return {
    ...shaped,
    status: told.status,
    headers: { ...shaped.headers, ...(version === undefined ? { vary: 'OpenStack-API-Version' } : versionHeaders(PLACEMENT_API, version)) },
  };
};

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
      return { ...fault, message: `Malformed JSON: ${fault.message}` };
    default:
      return fault;
  }
}

export const mediaTypeMessage = (type: string | undefined): string => `The media type ${type ?? 'None'} is not supported, use application/json`;
