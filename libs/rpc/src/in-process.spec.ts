import { AsyncLocalStorage } from 'node:async_hooks';
import { createInProcessTransport } from './in-process';
import { rpcClient, rpcHostClient } from './client';
import { ctx, deskContract, Gate, Probe, quiet, roomContract, Stage, type OpenHarness } from './testing/fixture';
import { describeTransportContract } from './testing';

const open: OpenHarness = async ({ retryDelayMs, ...limits }) => {
  const transport = createInProcessTransport({ ...limits, retryDelayMs: () => retryDelayMs, logger: quiet });
  return { connect: async (options) => transport.connect(options), close: () => transport.close() };
};

describeTransportContract('in-process', open);

describe('the in-process transport', () => {
  let stage: Stage;
  beforeEach(async () => void (stage = await Stage.open(open)));
  afterEach(() => stage.end());

  it('keeps the async context of the sender away from the handler', async () => {
    const unitOfWork = new AsyncLocalStorage<string>();
    const inside = new Probe<string | undefined>();
    await stage.desk({ file: async () => inside.note(unitOfWork.getStore()) }, { concurrency: 1 });
    const desk = rpcClient(await stage.connect(), deskContract);
    await unitOfWork.run('open', async () => {
      await desk.file(ctx, { text: '1' });
      await desk.file(ctx, { text: '2' });
      await desk.ask(ctx, { text: '3' });
      expect(unitOfWork.getStore()).toBe('open');
    });
    await expect(inside.until(2)).resolves.toEqual([undefined, undefined]);
  });

  it('refuses a host that another process serves, and an agent queue twice', async () => {
    await stage.room('a1', ['h1'], {});
    await expect(stage.room('a2', ['h2', 'h1'], {})).rejects.toMatchObject({
      kind: 'conflict',
      code: 'rpc.host_taken',
    });
    await expect(stage.room('a1', ['h3'], {})).rejects.toMatchObject({ kind: 'conflict', code: 'rpc.instance_taken' });
    // a start that was refused leaves nothing behind
    await expect(stage.room('a2', ['h2'], {})).resolves.toBeDefined();
  });

  it('hands casts that outlived an agent to whoever serves the host next', async () => {
    const gate = new Gate();
    const started = new Probe<string>();
    const first = await stage.room(
      'a1',
      ['h1'],
      { file: async (_c, { text }) => (started.note(text), await gate.opened) },
      { concurrency: 1 },
    );
    const host = rpcHostClient(await stage.connect(), roomContract).on('h1');
    await host.file(ctx, { text: 'in hand' });
    await host.file(ctx, { text: 'queued' });
    await started.until(1);
    await first.kill();
    await expect(host.file(ctx, { text: 'now' })).rejects.toMatchObject({ kind: 'unroutable' });
    const next = new Probe<string>();
    await stage.room('a2', ['h1'], { file: async (_c, { text }) => next.note(text) });
    await expect(next.until(2)).resolves.toEqual(['in hand', 'queued']);
    gate.open();
  });

  it('dead-letters a cast that kills every consumer', async () => {
    const transport = createInProcessTransport({ deliveryLimit: 1, logger: quiet });
    const got = new Probe<string>();
    const consumer = await transport.consume(
      { topic: 'desk', queue: 'work', instance: '', castPrefetch: 1, callPrefetch: 1, news: false },
      (d) => got.note(d.id),
    );
    await transport.cast({ topic: 'desk' }, { id: 'deadly', pattern: 'desk.file', body: '{}' });
    await got.until(1);
    await consumer.kill();
    await expect(transport.deadLetters.list()).resolves.toEqual([
      expect.objectContaining({ id: 'deadly', reason: 'its consumer died in each of 1 deliveries' }),
    ]);
    await transport.close();
  });

  it('refuses casts to a full queue', async () => {
    const transport = createInProcessTransport({ maxQueued: 2, logger: quiet });
    const desk = rpcClient(transport, deskContract);
    await desk.file(ctx, { text: '1' });
    await desk.file(ctx, { text: '2' });
    await expect(desk.file(ctx, { text: '3' })).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.queue_full' });
    await transport.close();
    await expect(desk.file(ctx, { text: '4' })).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.closed' });
  });

  it('forgets the oldest dead letters beyond the cap', async () => {
    const transport = createInProcessTransport({ maxDeadLetters: 2, logger: quiet });
    await transport.consume(
      { topic: 'desk', queue: 'work', instance: '', castPrefetch: 9, callPrefetch: 1, news: false },
      (d) => d.dead('no'),
    );
    for (const id of ['1', '2', '3']) await transport.cast({ topic: 'desk' }, { id, pattern: 'desk.file', body: '{}' });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await transport.deadLetters.list()).map((l) => l.id)).toEqual(['2', '3']);
    await transport.close();
  });

  it('drops news beyond what a slow subscriber may have in hand', async () => {
    const dropped = new Probe<string>();
    const logger = { error: () => undefined, warn: (_fields: object, text: string) => dropped.note(text) };
    const transport = createInProcessTransport({ logger });
    const heard = new Probe<string>();
    await transport.consume(
      { topic: 'desk', queue: 'none', instance: '', castPrefetch: 1, callPrefetch: 1, news: true },
      (d) => (heard.note(d.id), d.ack()),
    );
    const tell = (id: number) => transport.publish('desk', { id: String(id), pattern: 'desk.heard', body: '{}' });
    for (let id = 0; id < 10_001; id++) await tell(id);
    expect(dropped.seen).toHaveLength(1);
    await heard.until(10_000);
    await tell(10_001);
    expect((await heard.until(10_001)).at(-1)).toBe('10001');
    await transport.close();
  });

  it('waits longer before each further delivery', async () => {
    jest.useFakeTimers();
    try {
      const transport = createInProcessTransport({ deliveryLimit: 4, logger: quiet });
      const got = new Probe<number>();
      await transport.consume(
        { topic: 'desk', queue: 'work', instance: '', castPrefetch: 9, callPrefetch: 1, news: false },
        (d) => (got.note(d.attempt), d.retry('no')),
      );
      await transport.cast({ topic: 'desk' }, { id: '1', pattern: 'desk.file', body: '{}' });
      for (const [n, pause] of [200, 400, 800].entries()) {
        await got.until(n + 1);
        expect(jest.getTimerCount()).toBe(1);
        jest.advanceTimersByTime(pause - 1);
        expect(jest.getTimerCount()).toBe(1);
        jest.advanceTimersByTime(1);
        expect(jest.getTimerCount()).toBe(0);
      }
      await got.until(4);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
