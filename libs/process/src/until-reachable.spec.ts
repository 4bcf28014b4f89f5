import { forbidden, unavailable } from '@fractus/objects';
import { silentLogger } from '@fractus/telemetry';
import { untilReachable } from './until-reachable';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function patience() {
  const told: (string | undefined)[] = [];
  const abort = new AbortController();
  const waiting = (_part: string, why: string | undefined): void => void told.push(why);
  return { told, abort, options: { logger: silentLogger(), signal: abort.signal, waiting, pauseMs: 1 } };
}

describe('untilReachable', () => {
  const noLeader = unavailable('no leader', { code: 'rpc.setup', details: { refusal: 404 } });
  it.each([refused, unavailable('down'), noLeader, new AggregateError([refused, refused])])(
    'waits out %s',
    async (failure) => {
      const { told, options } = patience();
      let tries = 0;
      const opened = await untilReachable(
        'it',
        async () => {
          if (++tries < 4) throw failure;
          return 'open';
        },
        options,
      );
      expect([opened, tries]).toEqual(['open', 4]);
      expect(told).toEqual([failure.message, failure.message, failure.message, undefined]);
    },
  );

  it.each([
    forbidden('access refused'),
    new TypeError('x'),
    new AggregateError([refused, new Error('other')]),
    unavailable('behind', { code: 'database.not_migrated' }),
    unavailable('wrong password', { code: 'rpc.setup', details: { refusal: 403 } }),
    unavailable('certificate', { code: 'rpc.setup', details: { refusal: 'CERT_HAS_EXPIRED' } }),
  ])('does not wait out %s', async (failure) => {
    const { options } = patience();
    const open = jest.fn(() => Promise.reject(failure));
    await expect(untilReachable('it', open, options)).rejects.toBe(failure);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('ends when told to', async () => {
    const { abort, options } = patience();
    const open: jest.Mock<Promise<never>> = jest.fn(() => (open.mock.calls.length === 3 && abort.abort(), Promise.reject(refused)));
    await expect(untilReachable('it', open, options)).rejects.toBe(refused);
    expect(open.mock.calls.length).toBeLessThanOrEqual(4);
  });
});
