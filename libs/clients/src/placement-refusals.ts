/**
 * What a Placement refuses over REST, as the kinds and codes that the RPC contract gives for the same. Since 1.23 an
 * answer names its fault by a code, but only some have one; the rest is known by sentences that upstream's clients match
 * on too, and which therefore stay as they are.
 */
import { FractusError, type ErrorKind } from '@fractus/objects';
import type { RestAnswer } from './rest';

export const CONCURRENT_UPDATE = 'placement.concurrent_update';
export const UNKNOWN_PROVIDER = 'provider.unknown';
export const UNKNOWN_TRAIT = 'trait.unknown';

/** Statuses that `refusalOf` understands; calls accept these and hand the answer over. */
export const REFUSALS = [400, 404, 409] as const;

interface Rule {
  readonly status: number;
  readonly told: RegExp;
  readonly code: string;
}

const RULES: readonly Rule[] = [
  { status: 409, told: /consumer generation conflict/, code: CONCURRENT_UPDATE },
  { status: 409, told: /exceed the capacity/, code: 'inventory.capacity' },
  { status: 409, told: /violate inventory constraints/, code: 'inventory.constraints' },
  { status: 409, told: /Inventory for '.*' on resource provider '.*' invalid/, code: 'inventory.missing' },
  { status: 400, told: /resource provider '.*' that does not exist/, code: UNKNOWN_PROVIDER },
  { status: 400, told: /parent provider UUID/i, code: 'provider.parent' },
  { status: 400, told: /(no such|unknown) resource class/i, code: 'resource_class.unknown' },
  { status: 400, told: /no such trait/i, code: UNKNOWN_TRAIT },
  { status: 400, told: /reserved value is greater/, code: 'inventory.capacity' },
];

/** A request that breaks the form of the API: what over RPC would be refused before any handler saw it. */
const MALFORMED = 'rpc.request';
const OTHERWISE: Readonly<Record<number, [ErrorKind, string]>> = {
  400: ['invalid', MALFORMED],
  404: ['not_found', 'resource_provider.not_found'],
  409: ['conflict', 'placement.conflict'],
};

export function refusalOf({ status, body }: RestAnswer): FractusError {
  const { code, sentence } = told(body);
  const [kind, otherwise] = OTHERWISE[status] ?? ['internal', `placement.${status}`];
  const named =
    status === 409 && code?.startsWith('placement.') && code !== 'placement.undefined_code' ? code : undefined;
  const byRule = RULES.find((r) => r.status === status && r.told.test(sentence))?.code;
  return new FractusError(kind, sentence || `placement answered ${status}`, {
    code: named ?? byRule ?? otherwise,
    details: { service: 'placement', status },
  });
}

/** Whether a 409 says that the consumer moved, rather than one of the providers. */
export const isConsumerConflict = (e: FractusError): boolean => /consumer generation conflict/.test(e.message);

/** `detail` is a line of courtesy, an empty line, and what there is to say. */
function told(body: unknown): { code?: string; sentence: string } {
  const { errors } = (body ?? {}) as { errors?: { code?: unknown; detail?: unknown }[] };
  const first = Array.isArray(errors) ? errors[0] : undefined;
  if (!first) return { sentence: typeof body === 'string' ? body.trim().slice(0, 500) : '' };
  const detail = typeof first.detail === 'string' ? first.detail : '';
  const said = detail.slice(detail.lastIndexOf('\n\n') + 1).trim();
  return { ...(typeof first.code === 'string' ? { code: first.code } : {}), sentence: said || detail.trim() };
}

/** The answer, if it is none of the refusals. */
export function accepted(answer: RestAnswer): RestAnswer {
  if ((REFUSALS as readonly number[]).includes(answer.status)) throw refusalOf(answer);
  return answer;
}
