/** amqps with a broker that takes nothing else and asks for a certificate, and an authority of our own: `openRpc` as an app calls it. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadServiceConfig, Section } from '@fractus/config';
import { openRpc, RpcConfig } from '../config';
import { quiet } from '../testing/fixture';
import { missing as noBroker } from './testing/broker';
import type { RabbitTransport } from './rabbit-transport';

class AppConfig {
  @Section(() => RpcConfig) rpc: RpcConfig;
}

const TOOLS = resolve(__dirname, '../../../../tools/services');
const missing = noBroker ?? (spawnSync('openssl', ['version']).status === 0 ? undefined : 'openssl is not installed');
const withTls = missing === undefined ? describe : describe.skip;

withTls(`TLS to RabbitMQ${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fractus-amqps-'));
  const broker = ['--folder', join(folder, 'rabbitmq')];
  const tool = async <T>(name: string, ...args: string[]): Promise<T> =>
    JSON.parse((await promisify(execFile)(process.execPath, [join(TOOLS, name), ...args])).stdout || '{}') as T;
  let files: Record<'ca' | 'clientCert' | 'clientKey', string>;
  let foreign: typeof files;
  let url: URL;
  beforeAll(async () => {
    files = await tool('certificates.mjs', join(folder, 'ours'));
    foreign = await tool('certificates.mjs', join(folder, 'theirs'));
    const started = await tool<{ url: string }>('rabbitmq.mjs', 'start', ...broker, '--tls', join(folder, 'ours'));
    url = new URL(started.url);
  }, 180_000);
  afterAll(async () => {
    await tool('rabbitmq.mjs', 'remove', ...broker);
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** As an app's environment says it. */
  const open = (env: Record<string, string>): Promise<RabbitTransport> => {
    const all = { FRACTUS_RPC_URLS: url.href, FRACTUS_RPC_CA_FILE: files.ca, ...ours(), ...env };
    return openRpc(loadServiceConfig(AppConfig, 'conductor', all).rpc, { name: 'tls', logger: quiet });
  };
  const ours = () => ({ FRACTUS_RPC_CERT_FILE: files.clientCert, FRACTUS_RPC_KEY_FILE: files.clientKey });

  it.each([
    ['a name', (): object => ({})],
    ['an address', (): object => ({ FRACTUS_RPC_URLS: url.href.replace('localhost', '127.0.0.1') })],
    [
      'user and password of their own',
      (): object => ({
        FRACTUS_RPC_URLS: `amqps://nobody@localhost:${url.port}/%2f`,
        FRACTUS_RPC_USER: url.username,
        FRACTUS_CONDUCTOR_RPC_PASSWORD: decodeURIComponent(url.password),
      }),
    ],
  ])('carries messages to a broker at %s', async (_, env) => {
    const transport = await open(env() as Record<string, string>);
    const got = new Promise<string>((done, fail) => {
      const options = {
        topic: 'desk',
        queue: 'work',
        instance: '',
        castPrefetch: 1,
        callPrefetch: 1,
        news: false,
      } as const;
      transport.consume(options, (d) => (d.ack(), done(d.body))).catch(fail);
    });
    await transport.cast({ topic: 'desk' }, { id: '1', pattern: 'desk.file', body: '{"a":1}' });
    await expect(got).resolves.toBe('{"a":1}');
    await transport.close();
  });

  it.each([
    ['an authority that did not sign its certificate', (): object => ({ FRACTUS_RPC_CA_FILE: foreign.ca })],
    ['a password that is wrong', (): object => ({ FRACTUS_RPC_PASSWORD: 'wrong' })],
  ])('says what is set up wrongly: %s', async (_, env) => {
    await expect(open(env() as Record<string, string>)).rejects.toMatchObject({ code: 'rpc.setup' });
  });

  it.each([
    ['a stranger’s', { FRACTUS_RPC_CERT_FILE: 'clientCert', FRACTUS_RPC_KEY_FILE: 'clientKey' } as const],
    ['none', {}],
  ])('is told that the broker wants another certificate than %s', async (_, wanted) => {
    const env = { FRACTUS_RPC_URLS: url.href, FRACTUS_RPC_CA_FILE: files.ca };
    const theirs = Object.fromEntries(Object.entries(wanted).map(([k, v]) => [k, foreign[v]]));
    const config = loadServiceConfig(AppConfig, 'conductor', { ...env, ...theirs }).rpc;
    await expect(openRpc(config, { name: 'tls', logger: quiet })).rejects.toMatchObject({
      code: 'rpc.setup',
      message: expect.stringContaining('does not accept our certificate'),
    });
  });

  it('calls a file that cannot be read a mistake, not a broker to wait for', async () => {
    await expect(open({ FRACTUS_RPC_CA_FILE: '/nowhere.pem' })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'config.rpc_file',
      message: 'rpc.caFile: cannot read /nowhere.pem: ENOENT',
    });
  });
});
