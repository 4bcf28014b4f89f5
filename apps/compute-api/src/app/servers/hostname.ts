/** Longest label DNS allows. */
const MAX = 63;

/**
 * A host name made from a server's display name: ASCII letters, digits and hyphens in lower case, at most 63
 * characters, no hyphen at either end, spaces, underscores and dots as hyphens; `Server-<uuid>` where nothing is left
 * (upstream utils.sanitize_hostname). Several servers are numbered, and the number is never cut off.
 */
export function hostnameOf(name: string, serverId: string, { index, count }: { index: number; count: number }): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[ _.]/g, '-')
    .replace(/[^A-Za-z0-9-]/g, '')
    .toLowerCase()
    .replace(/^-+|-+$/g, '');
  if (plain === '') return `Server-${serverId}`;
  const number = count > 1 ? `-${index + 1}` : '';
  return plain.slice(0, MAX - number.length).replace(/-+$/, '') + number;
}

/** The names of server `index` (from 0) of `count`: several servers are numbered from 1. */
export function nameOf(name: string, index: number, count: number): string {
  return count > 1 ? `${name}-${index + 1}` : name;
}
