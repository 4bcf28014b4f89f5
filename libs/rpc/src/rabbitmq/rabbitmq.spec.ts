import { connect } from 'amqplib';
import type { Delivery } from '../transport';
import { rpcReady } from '../ready';
import { eventually, Gate, Probe } from '../testing/fixture';
import type { RabbitOptions } from './options';
import { createRabbitTransport, type RabbitTransport } from './rabbit-transport';
import { describeWithBroker } from './testing/broker';
import { DESK, message, note, ROOM, soon } from './testing/raw';

jest.setTimeout(60_000);

describeWithBroker('the RabbitMQ transport', (broker) => {
  let prefix: string;
  let transports: RabbitTransport[] = [];
  beforeEach(() => void (prefix = broker.prefix()));
  afterEach(async () => {
    await Promise.all(transports.map((t) => t.close()));
    transports = [];
  });
  const transport = (options: Partial<RabbitOptions> = {}): RabbitTransport => {
    const made = broker.transport({ prefix, retryDelayMs: () => 0, ...options });
    transports.push(made);
    return made;
  };

  it('holds a cast to a topic that nobody has ever consumed', async () => {
    const out = transport();
    await out.cast({ topic: 'desk' }, message('early'));
    const got = await note(transport());
    expect((await got.until(1))[0]).toMatchObject({ id: 'early', attempt: 1, redelivered: false });
  });

  it('tells a wrong password from a broker that is away, at once and in the log', async () => {
    const errors = new Probe<string>();
    const logger = { warn: () => undefined, error: (_f: object, text: string) => errors.note(text) };
    const out = transport({ password: 'wrong', logger });
    const refused = { kind: 'unavailable', code: 'rpc.setup', details: { refusal: 403 } };
    await expect(out.ready()).rejects.toMatchObject(refused);
    await expect(out.call({ topic: 'desk' }, message('1'), soon())).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(out.consume(DESK, () => undefined)).rejects.toMatchObject(refused);
    expect(out.connected).toBe(false);
    expect(out.why).toContain('ACCESS_REFUSED');
    expect(rpcReady(out)).toEqual({ part: 'rpc', ok: false, why: out.why });
    // not silent: every further attempt is told
    expect((await errors.until(3))[0]).toContain('refused');
  });

  it('tells an unknown virtual host', async () => {
    const url = new URL(broker.url);
    url.pathname = '/nowhere';
    const out = transport({ urls: [url.href] });
    await expect(out.ready()).rejects.toMatchObject({ code: 'rpc.setup', details: { refusal: 530 } });
  });

  it('says that the broker cannot be reached', async () => {
    const out = transport({ urls: ['amqp://127.0.0.1:1'], patienceMs: 300 });
    await expect(out.ready()).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.connection' });
    await expect(out.cast({ topic: 'desk' }, message('1'))).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(out.call({ topic: 'desk' }, message('1'), soon())).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('uses another of its brokers when one is away', async () => {
    await transport({
      urls: ['amqp://127.0.0.1:1', broker.url],
      user: 'fractus',
      password: password(broker.url),
    }).ready();
  });

  it('refuses a queue that exists with other arguments, and goes on with the rest', async () => {
    await note(transport());
    const odd = transport({ maxQueued: 7 });
    await expect(odd.consume(DESK, () => undefined)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'rpc.setup',
      details: { refusal: 406 },
      message: expect.stringContaining('x-max-length'),
    });
    await expect(odd.call({ topic: 'desk' }, message('still works'), soon())).resolves.toBe('still works');
    await note(odd, { ...DESK, topic: 'other' });
    expect(odd.connected).toBe(true);
  });

  it('refuses casts to a full queue, and more unconfirmed ones than may be', async () => {
    const full = transport({ maxQueued: 2 });
    const sent = await Promise.allSettled(['1', '2', '3', '4'].map((id) => full.cast({ topic: 'desk' }, message(id))));
    await expect(full.cast({ topic: 'desk' }, message('5'))).rejects.toMatchObject({ code: 'rpc.queue_full' });
    expect(sent.filter((s) => s.status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    const narrow = transport({ maxUnconfirmedCasts: 1, maxQueued: 2 });
    const one = narrow.cast({ topic: 'other' }, message('6'));
    await expect(narrow.cast({ topic: 'other' }, message('7'))).rejects.toMatchObject({ code: 'rpc.busy' });
    await one;
  });

  it('lets other casts pass while a failed one waits for its next delivery', async () => {
    const deliveries = new Probe<string>();
    const own = transport({ retryDelayMs: () => 50 });
    await own.consume({ ...DESK, castPrefetch: 1 }, (d) => {
      deliveries.note(`${d.id} ${d.attempt}`);
      if (d.id === 'bad' && d.attempt < 3) d.retry('not yet');
      else d.ack();
    });
    await own.cast({ topic: 'desk' }, message('bad'));
    await own.cast({ topic: 'desk' }, message('good'));
    await expect(deliveries.until(4)).resolves.toEqual(['bad 1', 'good 1', 'bad 2', 'bad 3']);
    await expect(own.deadLetters.list()).resolves.toEqual([]);
  });

  it('settles once', async () => {
    const got = new Probe<Delivery>();
    const own = transport({ deliveryLimit: 2 });
    await own.consume(DESK, (d) => {
      d.retry('first');
      d.ack();
      d.dead('third');
      got.note(d);
    });
    await own.cast({ topic: 'desk' }, message('1'));
    await got.until(2);
    const letters = await eventually(
      () => own.deadLetters.list(),
      (l) => l.length > 0,
    );
    expect(letters).toMatchObject([{ id: '1', attempts: 2, reason: 'gave up after 2 deliveries: first' }]);
    expect(got.seen).toHaveLength(2);
  });

  it('gives back untouched: the attempt does not count, and the order stays', async () => {
    const first = transport();
    const held: Delivery[] = [];
    const taken = new Probe<string>();
    const consumer = await first.consume(DESK, (d) => (held.push(d), taken.note(d.id)));
    for (const id of ['1', '2', '3']) await first.cast({ topic: 'desk' }, message(id));
    await taken.until(3);
    await consumer.stop();
    for (const d of [...held].reverse()) d.release();
    await consumer.close();
    const got = await note(transport());
    expect(await got.until(3)).toMatchObject(['1', '2', '3'].map((id) => ({ id, attempt: 1, redelivered: false })));
  });

  it('dead-letters a cast that kills every consumer', async () => {
    const out = transport();
    await out.cast({ topic: 'desk' }, message('deadly'));
    for (let i = 0; i < 2; i++) {
      const got = new Probe<string>();
      const consumer = await transport({ deliveryLimit: 2 }).consume(DESK, (d) => got.note(d.id));
      await got.until(1);
      await consumer.kill();
    }
    const got = await note(transport({ deliveryLimit: 2 }));
    const letters = await eventually(
      () => out.deadLetters.list('desk'),
      (l) => l.length > 0,
    );
    const reason = 'its consumer died in each of 2 deliveries';
    expect(letters).toMatchObject([{ id: 'deadly', topic: 'desk', pattern: 'desk.file', attempts: 2, reason }]);
    expect(got.seen).toEqual([]);
  });

  it('answers a call whose process died, instead of doing it twice', async () => {
    const taken = new Probe<string>();
    const doomed = await transport().consume(DESK, (d) => taken.note(d.id));
    const call = transport().call({ topic: 'desk' }, message('1'), soon());
    await taken.until(1);
    const got = await note(transport());
    await doomed.kill();
    await expect(call).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.callee_lost' });
    expect(got.seen).toEqual([]);
  });

  it('lets one process at a time consume an agent queue', async () => {
    const first = await transport().consume(ROOM('a1'), () => undefined);
    const second = () => transport({ heartbeatSeconds: 1 }).consume(ROOM('a1'), () => undefined);
    await expect(second()).rejects.toMatchObject({ kind: 'conflict', code: 'rpc.instance_taken' });
    await first.kill();
    await expect(second()).resolves.toBeDefined();
  });

  it('refuses host names that an exchange would read as a pattern', async () => {
    const own = transport();
    const consumer = await own.consume(ROOM('a1'), () => undefined);
    for (const host of ['#', '*', 'a.#', '', 'x'.repeat(300)]) {
      await expect(consumer.addHost(host)).rejects.toMatchObject({ kind: 'invalid', code: 'rpc.host' });
      const to = { topic: 'room', host };
      await expect(own.cast(to, message('1'))).rejects.toMatchObject({ kind: 'invalid' });
      await expect(own.call(to, message('1'), soon())).rejects.toMatchObject({ kind: 'invalid' });
    }
  });

  it('takes the word of no other user on who sent a cast, and nobody for who does not say', async () => {
    const got = await note(transport());
    const connection = await connect(await broker.user('agent-7'));
    const channel = await connection.createConfirmChannel();
    const send = (userId?: string) =>
      channel.publish(`${prefix}.casts`, 'desk', Buffer.from('{}'), {
        userId,
        messageId: '1',
        type: 'desk.file',
        headers: { topic: 'desk', sender: 'conductor' },
      });
    send('agent-7');
    send();
    expect((await got.until(2)).map((d) => d.sender)).toEqual(['agent-7', '']);
    await channel.close();
    await connection.close();
  });

  it('keeps the first sender over a retry and over an operator who sends a dead letter again', async () => {
    const senders = new Probe<string | undefined>();
    const trustedUsers = ['operator'];
    await transport({ trustedUsers, deliveryLimit: 2 }).consume(DESK, (d) => {
      if (senders.seen.length < 2) d.retry('no');
      else d.ack();
      senders.note(d.sender);
    });
    await transport({ urls: [await broker.user('agent-7')] }).cast({ topic: 'desk' }, message('1'));
    await senders.until(2);
    const operator = transport({ urls: [await broker.user('operator')] });
    const letters = await eventually(
      () => operator.deadLetters.list(),
      (l) => l.length > 0,
    );
    expect(letters).toMatchObject([{ id: '1', sender: 'agent-7' }]);
    await operator.deadLetters.retry('1');
    await expect(senders.until(3)).resolves.toEqual(['agent-7', 'agent-7', 'agent-7']);
  });

  it('refuses the one cast that the user may not send, and no other', async () => {
    const got = await note(transport());
    const url = await broker.user('narrow');
    await broker.ctl('set_topic_permissions', '-p', '/', 'narrow', `${prefix}.casts`, '^desk$', '.*');
    const narrow = transport({ urls: [url] });
    const sent = ['desk', 'desk', 'secret', 'desk'].map((topic, i) => narrow.cast({ topic }, message(String(i))));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(sent[2]).rejects.toMatchObject({ code: 'rpc.setup', details: { refusal: 403 } });
    const ids = new Set((await got.until(3)).map((d) => d.id));
    expect(ids.has('2')).toBe(false);
  });

  it('lets an agent try its casts again, and read none but its own', async () => {
    const control = transport();
    const seen = new Probe<number>();
    await control.ready();
    const own = transport({ urls: [await broker.agent('agent-1', prefix)], retryDelayMs: () => 50, deliveryLimit: 2 });
    const consumer = await own.consume(
      { ...ROOM('agent-1'), topic: 'compute' },
      (d) => (seen.note(d.attempt), d.retry('no')),
    );
    await consumer.addHost('h1');
    await control.cast({ topic: 'compute', host: 'h1' }, message('secret'));
    expect(await seen.until(2)).toEqual([1, 2]);
    await eventually(
      () => control.deadLetters.list(),
      (letters) => letters.length === 1,
    );
    const other = await connect(await broker.agent('agent-2', prefix));
    for (const queue of ['dead.letters', 'compute@agent-1', 'compute@agent-1.retry.50'].map((q) => `${prefix}.${q}`)) {
      const channel = await other.createChannel();
      channel.on('error', () => undefined); // the refusal, which the call tells too
      await expect(channel.get(queue)).rejects.toThrow(/ACCESS_REFUSED/);
    }
    await other.close();
  });

  it('consumes again when its queue is deleted under it', async () => {
    const own = transport();
    const got = await note(own);
    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    await channel.deleteQueue(`${prefix}.desk`);
    await channel.deleteQueue(`${prefix}.desk.calls`);
    await connection.close();
    await own.cast({ topic: 'desk' }, message('after'));
    expect((await got.until(1))[0].id).toBe('after');
    await eventually(async () => own.connected, Boolean);
    await expect(own.call({ topic: 'desk' }, message('call'), soon())).resolves.toBe('call');
  });

  it('delivers the last casts and answers before it closes', async () => {
    const gate = new Gate();
    const callee = createRabbitTransport({ urls: [broker.url], prefix, logger: { warn() {}, error() {} } });
    const taken = new Probe<Delivery>();
    await callee.consume(DESK, (d) => taken.note(d));
    const caller = transport();
    const call = caller.call({ topic: 'desk' }, message('1'), soon());
    const [delivery] = await taken.until(1);
    delivery.reply('bye');
    const cast = callee.cast({ topic: 'other' }, message('last'));
    await callee.close();
    await expect(call).resolves.toBe('bye');
    await expect(cast).resolves.toBeUndefined();
    await expect(callee.cast({ topic: 'other' }, message('no'))).rejects.toMatchObject({ code: 'rpc.closed' });
    gate.open();
  });
});

const password = (url: string): string => decodeURIComponent(new URL(url).password);
