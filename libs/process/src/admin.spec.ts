import { contractFingerprints } from '@fractus/rpc-contracts';
import { createMetrics, type LogLevel, type ReadyCheck } from '@fractus/telemetry';
import { type Admin, startAdmin } from './admin';

describe('the admin listener', () => {
  let level = 'info';
  let checks: ReadyCheck[] = [];
  let admin: Admin;

  beforeAll(async () => {
    admin = await startAdmin({
      host: '127.0.0.1',
      port: 0,
      metrics: createMetrics(),
      ready: async () => checks,
      logLevel: { get: () => level, set: (to: LogLevel) => void (level = to) },
    });
  });
  afterAll(() => admin.close());

  const put = (body: string) =>
    fetch(`${admin.url}/log-level`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });

  it('tells readiness by its parts', async () => {
    checks = [{ part: 'database', ok: true }];
    expect((await fetch(`${admin.url}/readyz`)).status).toBe(200);
    checks = [{ part: 'database', ok: false, why: 'gone' }];
    const answer = await fetch(`${admin.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ ok: false, checks });
    expect((await fetch(`${admin.url}/healthz`)).status).toBe(200);
  });

  it('tells the RPC contracts that its code has', async () => {
    const told = (await (await fetch(`${admin.url}/contracts`)).json()) as Record<string, string>;
    expect(told).toEqual(contractFingerprints());
    expect(told['compute.build']).toMatch(/^[0-9a-f]{16}$/);
  });

  it('changes the log level', async () => {
    expect(await (await put('{"level":"debug"}')).json()).toEqual({ level: 'debug' });
    expect(level).toBe('debug');
    expect(await (await fetch(`${admin.url}/log-level`)).json()).toEqual({ level: 'debug' });
  });

  it.each(['{"level":"loud"}', '{}', '"debug"', 'null', '{'])('refuses %s', async (body) => {
    level = 'info';
    expect((await put(body)).status).toBe(400);
    expect(level).toBe('info');
  });
});
