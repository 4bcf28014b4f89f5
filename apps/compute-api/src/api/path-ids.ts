import { FORMATS } from '@fractus/dto-schema';
import { invalid } from '@fractus/objects';

/** An integer in a path, as Python's int() reads one; null where the text is none. */
export function integerInPath(text: string): number | null {
  if (!/^\s*[+-]?\d+\s*$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** `invalid` unless it is an integer. */
export function requireInteger(text: string, name = 'id'): number {
  const value = integerInPath(text);
  if (value === null) throw invalid(`${name} must be an integer`, { code: `path.${name}` });
  return value;
}

/** The uuid in lower case with hyphens; `invalid` unless it is one. */
export function requireUuid(text: string): string {
  if (!FORMATS.uuid.check(text)) throw invalid(`Invalid uuid ${text.slice(0, 100)}`, { code: 'path.uuid' });
  const hex = text.toLowerCase().replace(/urn:|uuid:|[{}-]/g, '');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
