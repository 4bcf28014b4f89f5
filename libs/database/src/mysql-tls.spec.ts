/** TLS with a MariaDB that takes nothing else, and an authority of our own. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from './open-database';

const TOOLS = resolve(__dirname, '../../../tools/services');
const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const missing = !has('mariadbd', '--version') ? 'MariaDB is not installed' : !has('openssl', 'version') ? 'openssl is not installed' : null; // prettier-ignore
const withTls = missing === null ? describe : describe.skip;

withTls(`TLS to MariaDB${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fractus-tls-'));
  const server = ['--folder', join(folder, 'mariadb')];
  const tool = async <T>(name: string, ...args: string[]): Promise<T> =>
    JSON.parse((await promisify(execFile)(process.execPath, [join(TOOLS, name), ...args])).stdout) as T;
  let files: Record<'ca' | 'clientCert' | 'clientKey', string>;
  let foreign: typeof files;
  let port = '';
  let user = '';
  beforeAll(async () => {
    files = await tool('certificates.mjs', join(folder, 'ours'));
    foreign = await tool('certificates.mjs', join(folder, 'theirs'));
    await tool('mariadb.mjs', 'start', ...server, '--tls', join(folder, 'ours'), '--flush', '0');
    const { url } = await tool<{ url: string }>('mariadb.mjs', 'database', 'tls', ...server);
    ({ port } = new URL(url));
    user = `${new URL(url).username}:${new URL(url).password}`;
  }, 120_000);
  afterAll(async () => {
    await tool('mariadb.mjs', 'stop', ...server);
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const at = (host: string, query: string): string => `mysql://${user}@${host}:${port}/tls?${query}`;
  /** The cipher that the pool's connections have, by the server's own word. */
  const cipher = async (url: string): Promise<string> => {
    const database = await openDatabase({ url, entities: [], migrations: [], patienceMs: 0, poolSize: 1 });
    try {
      const [row] = await database.query<{ Value: string }>("SHOW STATUS LIKE 'Ssl_cipher'");
      return row?.Value ?? '';
    } finally {
      await database.close();
    }
  };

  it.each([
    ['whose certificate and name are checked', (): string => at('localhost', `tls=verify&ca=${files.ca}`)],
    ['whose certificate is checked, at an address', (): string => at('127.0.0.1', `tls=verify-ca&ca=${files.ca}`)],
    ['that is not checked', (): string => at('127.0.0.1', 'tls=require')],
    [
      'that is shown a certificate of ours',
      (): string => at('localhost', `tls=verify&ca=${files.ca}&cert=${files.clientCert}&key=${files.clientKey}`),
    ],
  ])('speaks with a server %s', async (_, url) => {
    expect(await cipher(url())).toMatch(/^TLS_|-/);
  });

  it.each([
    ['without TLS', (): string => at('127.0.0.1', ''), /secure transport|Access denied/i],
    ['an authority that did not sign it', (): string => at('localhost', `tls=verify&ca=${foreign.ca}`), /certificate/],
    ['the system’s authorities', (): string => at('localhost', 'tls=verify-ca'), /certificate/],
  ])('does not with %s', async (_, url, why) => {
    await expect(cipher(url())).rejects.toThrow(why);
  });

  it('does not with a server whose certificate bears another name, unless the name is not to be looked at', async () => {
    const other = join(folder, 'other');
    const { ca } = await tool<{ ca: string }>('certificates.mjs', other, '--host', 'db.example');
    const second = ['--folder', join(folder, 'second')];
    await tool('mariadb.mjs', 'start', ...second, '--tls', other, '--flush', '0').catch(() => undefined);
    try {
      const { url } = await tool<{ url: string }>('mariadb.mjs', 'database', 'tls', ...second);
      await expect(cipher(url)).rejects.toThrow(/does not match certificate's altnames/);
      expect(await cipher(url.replace('tls=verify', 'tls=verify-ca'))).not.toBe('');
      expect(ca).toContain('other');
    } finally {
      await tool('mariadb.mjs', 'stop', ...second);
    }
  }, 120_000);

  it('refuses what makes no sense before it connects', async () => {
    const wrong: [string, RegExp][] = [
      [at('127.0.0.1', `tls=verify&ca=${files.ca}`), /needs the name of the host/],
      [at('localhost', 'tls=verify&ca=/nowhere.pem'), /cannot read ca \/nowhere.pem: ENOENT/],
    ];
    for (const [url, why] of wrong) {
      const refused = cipher(url);
      await expect(refused).rejects.toMatchObject({ kind: 'invalid', code: 'config.database_url' });
      await expect(refused).rejects.toThrow(why);
    }
  });
});
