/** Longest label DNS allows. */
const MAX = 63;

/**
 * A host name made from a server's display name: ASCII letters, digits, dots and hyphens in lower case, at most 63
 * characters, no hyphen or dot at either end; `Server-<uuid>` where nothing is left (upstream utils.sanitize_hostname).
 */
export function hostnameOf(name: string, serverId: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[ _]/g, '-')
    .replace(/[^A-Za-z0-9.-]/g, '')
    .toLowerCase()
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MAX)
    .replace(/[.-]+$/, '');
  return plain === '' ? `Server-${serverId}` : plain;
}

/** The names of server `index` (from 0) of `count`: several servers are numbered from 1. */
export function nameOf(name: string, index: number, count: number): string {
  return count > 1 ? `${name}-${index + 1}` : name;
}
