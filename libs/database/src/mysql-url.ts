import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { FractusError } from '@fractus/objects';

export interface MysqlAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  socketPath?: string;
  ssl?: { rejectUnauthorized: boolean; verifyIdentity?: boolean; ca?: Buffer; cert?: Buffer; key?: Buffer };
}

const PARAMETERS = new Set(['tls', 'ca', 'cert', 'key', 'socket']);
const wrong = (why: string): FractusError =>
  new FractusError('invalid', `database url: ${why}`, { code: 'config.database_url' });

/**
 * `mysql://user:password@host:port/name`, and for TLS
 *
 * | `?tls=`     | the server's certificate                                                                      |
 * |-------------|-----------------------------------------------------------------------------------------------|
 * | `verify`    | is checked, and made out to the host's name, which must be one and no address                  |
 * | `verify-ca` | is checked; to whom it is made out is not looked at                                            |
 * | `require`   | is not checked: nobody can listen in, but anybody can be the server                            |
 *
 * with `&ca=/path` (without it: the system's authorities) and `&cert=…&key=…` for a client's certificate; `?socket=/path`
 * for a socket. Throws `invalid` `config.database_url`, also for a file that cannot be read; the password is never in it.
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
    ...tlsOf(url),
  };
}

const MODES = ['off', 'require', 'verify', 'verify-ca'];

function tlsOf(url: URL): Pick<MysqlAddress, 'ssl'> {
  const params = url.searchParams;
  const mode = params.get('tls') ?? 'off';
  if (!MODES.includes(mode))
    throw wrong(`tls is off, require or verify, not ${mode}; or verify-ca, which does not look at the name`);
  if (mode === 'off') return {};
  // the driver checks names alone: an address would be taken for localhost
  if (mode === 'verify' && isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')))
    throw wrong('tls=verify needs the name of the host, which its certificate bears; for an address: tls=verify-ca');
  const files = Object.assign({}, ...['ca', 'cert', 'key'].map((name) => read(name, params.get(name))));
  const checked = mode !== 'require';
  return { ssl: { rejectUnauthorized: checked, ...(mode === 'verify' ? { verifyIdentity: true } : {}), ...files } };
}

function read(name: string, path: string | null): Record<string, Buffer> {
  if (!path) return {};
  try {
    return { [name]: readFileSync(path) };
  } catch (e) {
    throw wrong(`cannot read ${name} ${path}: ${(e as NodeJS.ErrnoException).code ?? 'error'}`);
  }
}
