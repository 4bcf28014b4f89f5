import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, redactSecrets, requestLogger, type Logger, type LoggerOptions } from './index';

function recording(options: Partial<LoggerOptions> = {}): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const logger = createLogger({ service: 'api', destination: { write: (l) => void lines.push(l) }, ...options });
  return { logger, lines };
}

describe('createLogger', () => {
  it('writes JSON with service, time and level by name', () => {
    const { logger, lines } = recording();
    logger.info({ a: 1 }, 'hello');
    logger.debug('not shown');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      service: 'api',
      level: 'info',
      a: 1,
      msg: 'hello',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  // only Linux has a file that is always full
  (existsSync('/dev/full') ? it : it.skip)('bears a disk that is full: a log is never worth the service', async () => {
    const logger = createLogger({ service: 'api', destination: '/dev/full' });
    for (let i = 0; i < 5000; i++) logger.info({ filler: 'x'.repeat(500) }, 'hello');
    await new Promise(setImmediate);
  });

  it('keeps secrets out, however deep and in whatever case', () => {
    const { logger, lines } = recording();
    const child = logger.child({ password: 's3cret' });
    child.info({
      headers: { 'X-Auth-Token': 's3cret', accept: '*/*' },
      body: { server: { adminPass: 's3cret', list: [{ password: 's3cret' }] } },
    });
    expect(lines[0]).not.toContain('s3cret');
    expect(lines[0]).toContain('*/*');
  });

  it('tells the whole story of an error', () => {
    const { logger, lines } = recording();
    logger.error({ err: new Error('outside', { cause: new Error('inside') }) }, 'failed');
    expect(lines[0]).toContain('inside');
  });

  it('writes to a file, making its folder', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'log-')), 'a', 'b.log');
    recording({ destination: path }).logger.warn('to disk');
    expect(readFileSync(path, 'utf8')).toContain('to disk');
  });

  it('can write for people', () => {
    const { logger, lines } = recording({ pretty: true });
    requestLogger(logger, { requestId: 'req-1', userId: null, projectId: null, roles: [] }, { serverId: 's1' }).warn(
      { n: 1, err: new Error('boom') },
      'careful',
    );
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}api \[req-1\] careful server_id=s1 n=1\n {4}Error: boom/);
  });
});

describe('redactSecrets', () => {
  it('leaves what holds no secret as it is', () => {
    const value = { a: [1, { b: new Date() }], token: { expires_at: 'x' } };
    expect(redactSecrets(value)).toBe(value);
  });

  it('does not change the original', () => {
    const value = { auth: { password: 'x' } };
    expect(redactSecrets(value)).toEqual({ auth: { password: '[redacted]' } });
    expect(value.auth.password).toBe('x');
  });

  it('knows the words of our own messages between services too', () => {
    const guest = { guest: { name: 'web', adminPassword: 'x', userData: 'I2Nsb3VkLWNvbmZpZw==' } };
    expect(redactSecrets(guest)).toEqual({
      guest: { name: 'web', adminPassword: '[redacted]', userData: '[redacted]' },
    });
  });

  it('ends on cycles', () => {
    const value: Record<string, unknown> = { password: 'x' };
    value['self'] = value;
    expect(JSON.stringify(redactSecrets(value))).not.toContain('"x"');
  });
});
