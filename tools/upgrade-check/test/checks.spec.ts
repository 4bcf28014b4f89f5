import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startAdmin } from '@fractus/process';
import { contractFingerprints } from '@fractus/rpc-contracts';
import { createMetrics } from '@fractus/telemetry';
import { judgeAgents } from '../src/checks/agents.check';
import { compare, contractsCheck } from '../src/checks/contracts.check';

describe('agents', () => {
  const at = (...versions: number[]) => versions.map((version, i) => ({ host: `h${i}`, version }));

  it.each([
    [[], 'success', ['no agent has registered yet']],
    [[5, 5], 'success', []],
    [[5, 4], 'warning', ['1 agent (h1) is of the release before: upgrade them last']],
    [[6], 'warning', ['1 agent (h0) is of a later release than this']],
    [[4, 3, 1], 'failure', [expect.stringContaining('2 agents (h1, h2) are too old'), expect.stringContaining('h0')]],
  ])('of versions %j beside release 5', (versions, verdict, details) => {
    expect(judgeAgents(at(...versions), 5)).toEqual({ verdict, details });
  });
});

describe('contracts', () => {
  it('are the same, or of another release', () => {
    const ours = { 'a.x': '1', 'a.y': '2', 'a.z': '3' };
    expect(compare('p', { ...ours }, ours)).toEqual({ verdict: 'success', details: [] });
    expect(compare('p', { 'a.x': '1', 'a.y': '9', 'b.n': '4' }, ours)).toEqual({
      verdict: 'warning',
      details: [
        'p has the contracts of another release: it differs in a.y; does not have a.z; has, unlike this release, b.n',
      ],
    });
  });

  it('are told by the processes that run', async () => {
    const admin = await startAdmin({
      ...{ host: '127.0.0.1', port: 0, metrics: createMetrics(), ready: async () => [] },
      logLevel: { get: () => 'info', set: () => undefined },
    });
    const old = createServer((_, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const former = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const run = (processes: { name: string; admin: string }[], kind: 'distributed' | 'embedded' = 'distributed') =>
      contractsCheck.run({ places: { kind, databases: {}, processes }, env: {} });
    try {
      expect(Object.keys(contractFingerprints()).length).toBeGreaterThan(10);
      expect(await run([{ name: 'conductor-1', admin: admin.url }])).toEqual({ verdict: 'success', details: [] });
      expect(await run([{ name: 'old', admin: former }])).toEqual({
        ...{ verdict: 'warning', details: ['old tells no contracts: it is of an earlier release'] },
      });
      expect(await run([], 'embedded')).toMatchObject({ verdict: 'success' });
      expect(await run([])).toMatchObject({ verdict: 'warning' });
    } finally {
      await admin.close();
      await new Promise((resolve) => old.close(resolve));
    }
    expect(await run([{ name: 'gone', admin: former }])).toMatchObject({
      ...{ verdict: 'failure', details: [expect.stringContaining(`gone does not answer at ${former}`)] },
    });
  });
});
