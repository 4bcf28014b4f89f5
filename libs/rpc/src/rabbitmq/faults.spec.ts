import { eventually, Probe } from '../testing/fixture';
import type { DeadLetter, Delivery } from '../transport';
import type { RabbitOptions } from './options';
import type { RabbitTransport } from './rabbit-transport';
import { describeWithBroker } from './testing/broker';
import { SilentProxy } from './testing/proxy';
import { DESK, message, note, ROOM, soon } from './testing/raw';

jest.setTimeout(180_000);

describeWithBroker('the RabbitMQ transport, when things break', (broker) => {
  let prefix: string;
  let transports: RabbitTransport[] = [];
  beforeEach(() => void (prefix = broker.prefix()));
  afterEach(async () => {
    await Promise.all(transports.map((t) => t.close()));
    transports = [];
  });
  const transport = (options: Partial<RabbitOptions> = {}): RabbitTransport => {
    const made = broker.transport({ prefix, retryDelayMs: () => 0, patienceMs: 120_000, ...options });
    transports.push(made);
    return made;
  };
  const desk = { topic: 'desk' };

  it.each([
    ['killed', () => broker.kill()],
    ['stopped', () => broker.stop()],
  ])(
    'loses no cast when the broker is %s under load, and doubles none that was sent before or after',
    async (_, end) => {
      const out = transport();
      const seen = new Map<string, number>();
      const handled = new Probe<string>();
      await transport().consume({ ...DESK, castPrefetch: 20 }, (d) => {
        seen.set(d.id, (seen.get(d.id) ?? 0) + 1);
        handled.note(d.id);
        setImmediate(() => d.ack());
      });
      let next = 0;
      let inFlight = new Set<string>();
      const last = { value: Infinity };
      const sender = async (): Promise<void> => {
        while (next < last.value) {
          const id = String(next++);
          inFlight.add(id);
          await out.cast(desk, message(id));
          inFlight.delete(id);
        }
      };
      const senders = Array.from({ length: 16 }, sender);
      const before = new Set(await handled.until(500));
      await end();
      const atRisk = new Set([...inFlight, ...[...Array(next).keys()].map(String).filter((id) => !before.has(id))]);
      // what was handled last may not have been acknowledged in time
      for (const id of [...before].slice(-100)) atRisk.add(id);
      await eventually(
        async () => out.connected,
        (up) => !up,
      );
      await expect(out.call(desk, message('call'), soon())).rejects.toMatchObject({ kind: 'unavailable' });
      await broker.start();
      await handled.until(handled.seen.length + 500);
      inFlight = new Set();
      last.value = next;
      await Promise.all(senders);
      await eventually(
        async () => seen.size,
        (n) => n === next,
      );
      expect([...seen].filter(([id, times]) => times > 1 && !atRisk.has(id))).toEqual([]);
      await expect(out.deadLetters.list()).resolves.toEqual([]);
      expect(out.connected).toBe(true);
    },
  );

  it('binds the hosts again, and answers calls again, after a restart of the broker', async () => {
    const agent = transport();
    const got = new Probe<Delivery>();
    const consumer = await agent.consume(
      ROOM('a1'),
      (d) => (got.note(d), d.kind === 'call' ? d.reply('yes') : d.ack()),
    );
    await consumer.addHost('h1');
    const out = transport();
    const to = { topic: 'room', host: 'h1' };
    await expect(out.call(to, message('1'), soon())).resolves.toBe('yes');
    await broker.kill();
    const cast = out.cast(to, message('2'));
    await broker.start();
    await cast;
    await got.until(2);
    await eventually(async () => agent.connected && out.connected, Boolean);
    await expect(out.call(to, message('3'), soon())).resolves.toBe('yes');
  });

  it('serves the hosts that came, and none that went, while it was connecting again', async () => {
    const agent = transport();
    const consumer = await agent.consume(ROOM('a1'), (d) => d.ack());
    const leaving = Array.from({ length: 100 }, (_, i) => `gone-${i}`);
    await Promise.all(leaving.map((host) => consumer.addHost(host)));
    const served: string[] = [];
    const went: string[] = [];
    const closed = broker.ctl('close_all_connections', 'a test');
    await eventually(async () => !agent.connected, Boolean);
    // all the while, so that some fall into the time in which its queues are bound anew
    while (!agent.connected) {
      const [come, go] = [`h${served.length}`, leaving[went.length]];
      await consumer.addHost(come).then(() => served.push(come), () => undefined); // prettier-ignore
      if (go) await consumer.removeHost(go).then(() => went.push(go), () => undefined); // prettier-ignore
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await closed;
    const out = transport();
    const refused = async (hosts: string[]): Promise<string[]> => {
      const sent = await Promise.allSettled(hosts.map((host) => out.cast({ topic: 'room', host }, message(host))));
      return hosts.filter((_, i) => sent[i]?.status === 'rejected');
    };
    expect(served.length).toBeGreaterThan(0);
    // `connected` comes a little before the last of them are bound and unbound
    await eventually(
      async () => [await refused(served), await refused(went)],
      ([lost, left]) => lost?.length === 0 && left?.length === went.length,
    );
  });

  it('notices by its heartbeats that a connection is half-open, and makes another', async () => {
    const proxy = new SilentProxy(new URL(broker.url));
    const urls = [await proxy.open()];
    const near = transport({ urls, heartbeatSeconds: 1, user: 'fractus' });
    const got = await note(near);
    await near.cast(desk, message('1'));
    await got.until(1);
    proxy.silence();
    const lost = expect(near.call(desk, message('2'), soon(100_000))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'rpc.connection',
    });
    const held = near.cast(desk, message('3'));
    await lost;
    await held;
    await eventually(async () => near.connected, Boolean);
    // the acknowledgement of the first may have been swallowed
    const ids = (): Set<string> => new Set(got.seen.map((d) => d.id));
    expect([
      ...(await eventually(
        async () => ids(),
        (all) => all.size === 2,
      )),
    ]).toEqual(['1', '3']);
    await expect(near.call(desk, message('4'), soon())).resolves.toBe('4');
    await near.close();
    await proxy.close();
  });

  it('closes in the end even when the connection is half-open', async () => {
    const proxy = new SilentProxy(new URL(broker.url));
    const near = transport({ urls: [await proxy.open()] });
    await note(near);
    proxy.silence();
    await near.close();
    await proxy.close();
  });

  it('holds casts, refuses calls and goes on consuming while the broker takes nothing', async () => {
    const other = transport();
    await other.ready();
    const out = transport();
    const got = await note(out);
    await broker.ctl('set_vm_memory_high_watermark', 'absolute', '1');
    try {
      // the broker says so to those who publish
      const held = out.cast(desk, message('held'));
      const why = await eventually(
        async () => out.why,
        (w) => w !== undefined,
      );
      expect(why).toContain('memory');
      expect(out.connected).toBe(false);
      await expect(out.call(desk, message('1'), soon())).rejects.toMatchObject({ code: 'rpc.blocked' });
      const more = Array.from({ length: 50 }, (_, i) => out.cast(desk, message(`more ${i}`)));
      await broker.ctl('set_vm_memory_high_watermark', '0.4');
      await Promise.all([held, ...more]);
      expect((await got.until(51)).map((d) => d.id)).toEqual(['held', ...Array.from(more, (_, i) => `more ${i}`)]);
      await eventually(async () => out.connected, Boolean);
      await expect(out.call(desk, message('2'), soon())).resolves.toBe('2');
    } finally {
      await broker.ctl('set_vm_memory_high_watermark', '0.4');
    }
  });

  it('gives a cast up in time when the broker stays away', async () => {
    const out = transport({ patienceMs: 1000 });
    await out.ready();
    await broker.kill();
    await expect(out.cast(desk, message('1'))).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.unconfirmed' });
    await broker.start();
    await eventually(async () => out.connected, Boolean);
    await out.cast(desk, message('2'));
  });

  it('keeps dead letters over a restart: they are listed, retried and dropped', async () => {
    let well = false;
    const got = new Probe<string>();
    const own = transport();
    await own.consume(DESK, (d) => (got.note(d.id), well ? d.ack() : d.dead('the disk is on fire')));
    for (const id of ['a', 'b', 'c']) await own.cast(desk, message(id, `{"id":"${id}"}`));
    const all = (l: DeadLetter[]): boolean => l.length === 3;
    const before = await eventually(() => own.deadLetters.list(), all);
    await broker.stop();
    await broker.start();
    const operator = transport();
    const after = await operator.deadLetters.list('desk');
    expect(after).toEqual(before);
    expect(after).toMatchObject(
      ['a', 'b', 'c'].map((id) => ({ id, reason: 'the disk is on fire', attempts: 1, body: `{"id":"${id}"}` })),
    );
    await expect(operator.deadLetters.list('other')).resolves.toEqual([]);
    well = true;
    // two operators at once do not take each other's letters
    const second = transport();
    await Promise.all([operator.deadLetters.retry('b'), second.deadLetters.drop('a'), second.deadLetters.list()]);
    await got.until(4);
    expect(got.seen[3]).toBe('b');
    expect((await operator.deadLetters.list()).map((l) => l.id)).toEqual(['c']);
    await expect(operator.deadLetters.retry('a')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('leaves a dead letter where it is when its host is not served', async () => {
    const own = transport();
    const consumer = await own.consume(ROOM('a1'), (d) => d.dead('no'));
    await consumer.addHost('h1');
    await own.cast({ topic: 'room', host: 'h1' }, message('1'));
    await eventually(
      () => own.deadLetters.list(),
      (l) => l.length === 1,
    );
    await consumer.removeHost('h1');
    await expect(own.deadLetters.retry('1')).rejects.toMatchObject({ kind: 'unroutable' });
    await expect(own.deadLetters.list()).resolves.toMatchObject([{ id: '1', host: 'h1', topic: 'room' }]);
  });
});
