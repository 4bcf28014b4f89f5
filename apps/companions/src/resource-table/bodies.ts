/** Request bodies of the OpenStack form `{"<resource>": {…}}`. */
import { compileDto, type DtoClass } from '@fractus/dto-schema';
import { invalid } from '@fractus/objects';

/** The validated object under `key`. @throws invalid naming the member and the rule it breaks */
export function bodyOf<T extends object>(body: unknown, key: string, type: DtoClass<T>): T {
  return compileDto<T>(type).parse(memberOf(body, key));
}

/** The object under `key`, unchecked. */
export function memberOf(body: unknown, key: string): Record<string, unknown> {
  const member = isObject(body) && Object.hasOwn(body, key) ? body[key] : undefined;
  if (isObject(member)) return member;
  throw invalid(`The request body must hold an object '${key}'.`, { code: 'body.member', details: { path: key } });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
