import { readFileSync } from 'node:fs';
import { FractusError } from '@fractus/objects';

export interface MysqlAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  socketPath?: string;
  ssl?: { rejectUnauthorized: boolean; ca?: Buffer; cert?: Buffer; key?: Buffer };
}

const PARAMETERS = new Set(['tls', 'ca', 'cert', 'key', 'socket']);
const wrong = (why: string): FractusError =>
  new FractusError('invalid', `database url: ${why}`, { code: 'config.database_url' });

/**
 * `mysql://user:password@host:port/name`, with `?tls=verify&ca=/path` (the server's certificate is checked; without
 * `ca` against the system's authorities), `?tls=require` (encrypted, not checked), `&cert=…&key=…` for a client's
 * certificate, `?socket=/path` for a socket. Throws `invalid` `config.database_url`; the password is never in it.
 */
export function parseMysqlUrl(text: string): MysqlAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong('not a URL of the form mysql://user:password@host:port/name');
  }
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.has(name)) throw wrong(`unknown parameter ${name}; it takes ${[...PARAMETERS].join(', ')}`);
  }
  const socketPath = url.searchParams.get('socket');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...(socketPath ? { socketPath } : {}),
    ...tlsOf(url.searchParams),
  };
}

function tlsOf(params: URLSearchParams): Pick<MysqlAddress, 'ssl'> {
  const mode = params.get('tls') ?? 'off';
  if (!['off', 'require', 'verify'].includes(mode)) throw wrong(`tls is off, require or verify, not ${mode}`);
  if (mode === 'off') return {};
  const file = (name: string): Record<string, Buffer> => {
    const path = params.get(name);
    return path ? { [name]: readFileSync(path) } : {};
  };
  return { ssl: { rejectUnauthorized: mode === 'verify', ...file('ca'), ...file('cert'), ...file('key') } };
}
