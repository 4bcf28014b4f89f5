/** Glance's JSON patch: operations on the attributes and properties of one image. Pure. */
import { conflict, forbidden } from '@fractus/objects';
import { badImage } from './image-errors';

export type PatchOp = { op: 'add' | 'replace'; name: string; value: unknown } | { op: 'remove'; name: string };

export const READ_ONLY = new Set(
  'id status checksum os_hash_algo os_hash_value size virtual_size created_at updated_at self file schema direct_url locations'.split(
    ' ',
  ),
);
export const BASE = new Set(
  'name visibility owner protected os_hidden disk_format container_format min_disk min_ram tags'.split(' '),
);

/** Reads a patch document of either version (2.0 wrote `{"replace": "/name", …}`). @throws invalid */
export function readPatch(body: unknown): PatchOp[] {
  if (!Array.isArray(body)) throw badImage('Request body must be a JSON array of operation objects.');
  if (body.length > 1000) throw badImage('A patch holds at most 1000 operations.');
  return body.map(readOp);
}

function readOp(raw: unknown): PatchOp {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw badImage('Operations must be JSON objects.');
  const given = raw as Record<string, unknown>;
  const old = (['add', 'replace', 'remove'] as const).find((name) => typeof given[name] === 'string');
  const op = given['op'] ?? old;
  const path = given['path'] ?? (old === undefined ? undefined : given[old]);
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw badImage("Operations must be one of 'add', 'replace', 'remove'.");
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw badImage('Operation path must be a JSON pointer that begins with a slash.');
  const name = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (name === '' || path.slice(1).includes('/')) throw badImage(`Invalid JSON pointer for this resource: '${path}'.`);
  if (name.length > 255) throw badImage('The name of a property has at most 255 characters.');
  if (op === 'remove') return { op, name };
  if (!Object.hasOwn(given, 'value')) throw badImage(`Operation '${op}' needs a member named 'value'.`);
  return { op, name, value: given['value'] };
}

/** What a patch comes to: base attributes to set (to be validated as a new image's are), properties to set and to drop. */
export interface PatchResult {
  attributes: Record<string, unknown>;
  properties: Record<string, unknown>;
}

/** @throws forbidden for what cannot be changed; conflict for a property that is not there */
export function applyPatch(ops: readonly PatchOp[], properties: Readonly<Record<string, string>>): PatchResult {
  const attributes: Record<string, unknown> = {};
  const next = new Map<string, unknown>(Object.entries(properties));
  for (const op of ops) {
    if (READ_ONLY.has(op.name)) throw forbidden(`Attribute '${op.name}' is read-only.`, { code: 'image.read_only' });
    if (BASE.has(op.name)) {
      if (op.op === 'remove') throw forbidden(`Property ${op.name} may not be removed.`, { code: 'image.read_only' });
      attributes[op.name] = op.value;
    } else {
      if (op.op !== 'add' && !next.has(op.name)) {
        throw conflict(`Property ${op.name} does not exist.`, { code: 'image.no_property' });
      }
      if (op.op === 'remove') next.delete(op.name);
      else next.set(op.name, op.value);
    }
  }
  return { attributes, properties: Object.fromEntries(next) };
}
