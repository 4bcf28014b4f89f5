import type { RequestContext } from '@fractus/objects';
import { rpcClient, rpcHostClient } from '../client';
import { deliveryOf } from '../delivery-info';
import { encodeEnvelope } from '../envelope';
import {
  ctx,
  deskContract,
  eventually,
  Gate,
  Probe,
  Question,
  roomContract,
  SETUP,
  Stage,
  type OpenHarness,
} from './fixture';

interface Seen {
  readonly text: string;
  readonly redelivered: boolean | undefined;
  readonly attempt: number | undefined;
}
const seen = (c: RequestContext, { text }: Question): Seen => {
  const { redelivered, attempt } = deliveryOf(c) ?? {};
  return { text, redelivered, attempt };
};

export function describeCasts(open: OpenHarness): void {
  describe('casts', () => {
    let stage: Stage;
    beforeEach(async () => void (stage = await Stage.open(open)));
    afterEach(() => stage.end());
    const client = async () => rpcClient(await stage.connect(), deskContract);

    it('does not wait for the handler', async () => {
      const gate = new Gate();
      const done = new Probe<string>();
      await stage.desk({ file: async (_ctx, { text }) => (await gate.opened, done.note(text)) });
      await (await client()).file(ctx, { text: 'a' });
      expect(done.seen).toEqual([]);
      gate.open();
      await expect(done.until(1)).resolves.toEqual(['a']);
    });

    it('carries the context without the deadline: nobody waits for a cast', async () => {
      const got = new Probe<RequestContext>();
      await stage.desk({ file: async (c) => got.note(c) });
      await (await client()).file({ ...ctx, deadline: Date.now() - 1 }, { text: 'a' });
      const [{ traceparent, ...rest }] = await got.until(1);
      expect(rest).toEqual({ ...ctx, traceparent: undefined });
      expect(traceparent).not.toBe(ctx.traceparent);
      expect(traceparent?.slice(0, 36)).toBe(ctx.traceparent?.slice(0, 36));
    });

    it('holds what comes before a consumer does, in order', async () => {
      const desk = await client();
      // the queue itself is made by whoever consumes first
      await (await stage.desk({})).close();
      for (const text of ['a', 'b', 'c']) await desk.file(ctx, { text });
      const got = new Probe<string>();
      await stage.desk({ file: async (_ctx, { text }) => got.note(text) });
      await expect(got.until(3)).resolves.toEqual(['a', 'b', 'c']);
    });

    it('is redelivered to another process when its consumer dies in mid-handler', async () => {
      const gate = new Gate();
      const first = new Probe<Seen>();
      const second = new Probe<Seen>();
      const doomed = await stage.desk({ file: async (c, r) => (first.note(seen(c, r)), await gate.opened) });
      await (await client()).file(ctx, { text: 'a' });
      await first.until(1);
      await stage.desk({ file: async (c, r) => second.note(seen(c, r)) });
      await doomed.kill();
      await expect(second.until(1)).resolves.toEqual([{ text: 'a', redelivered: true, attempt: 2 }]);
      gate.open(); // the dead process' late acknowledgement is lost
      expect(first.seen).toEqual([{ text: 'a', redelivered: false, attempt: 1 }]);
    });

    it('waits for the next process of the agent that died with it', async () => {
      const gate = new Gate();
      const first = new Probe<Seen>();
      const second = new Probe<Seen>();
      const doomed = await stage.room('agent-1', ['h1'], {
        file: async (c, r) => (first.note(seen(c, r)), await gate.opened),
      });
      await rpcHostClient(await stage.connect(), roomContract)
        .on('h1')
        .file(ctx, { text: 'a' });
      await first.until(1);
      await doomed.kill();
      await stage.room('agent-1', ['h1'], { file: async (c, r) => second.note(seen(c, r)) });
      await expect(second.until(1)).resolves.toEqual([{ text: 'a', redelivered: true, attempt: 2 }]);
      gate.open();
    });

    it('is tried again when the handler fails', async () => {
      const got = new Probe<Seen>();
      await stage.desk({
        file: async (c, r) => {
          got.note(seen(c, r));
          if (got.seen.length === 1) throw new Error('not yet');
        },
      });
      const transport = await stage.connect();
      await rpcClient(transport, deskContract).file(ctx, { text: 'a' });
      const [one, two] = await got.until(2);
      expect([one, two]).toEqual([
        { text: 'a', redelivered: false, attempt: 1 },
        { text: 'a', redelivered: true, attempt: 2 },
      ]);
      await expect(transport.deadLetters.list()).resolves.toEqual([]);
    });

    it('is dead-lettered with the reason when it keeps failing, and can be sent again or dropped', async () => {
      const got = new Probe<number | undefined>();
      let broken = true;
      await stage.desk({
        file: async (c) => {
          got.note(deliveryOf(c)?.attempt);
          if (broken) throw new Error('the disk is on fire');
        },
      });
      const transport = await stage.connect();
      await rpcClient(transport, deskContract).file(ctx, { text: 'a' });
      const [letter] = await eventually(
        () => transport.deadLetters.list('desk'),
        (l) => l.length > 0,
      );
      expect(got.seen).toEqual([1, 2, 3]);
      expect(letter).toMatchObject({ topic: 'desk', pattern: 'desk.file', attempts: SETUP.deliveryLimit });
      expect(letter.reason).toContain('internal: Error: the disk is on fire');
      expect(JSON.parse(letter.body)).toMatchObject({ data: { text: 'a' } });
      broken = false;
      await transport.deadLetters.retry(letter.id);
      await got.until(4);
      await expect(transport.deadLetters.list()).resolves.toEqual([]);
      await expect(transport.deadLetters.drop(letter.id)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it.each([
      ['does not validate', encodeEnvelope('desk.file', ctx, { text: 5 }), 'text'],
      ['is not JSON', '{', 'desk.file'],
      ['has no context', '{"data":{"text":"a"}}', 'context'],
    ])('is dead-lettered at once when it %s', async (_what, body, reason) => {
      const got = new Probe<string>();
      await stage.desk({ file: async (_ctx, { text }) => got.note(text) });
      const transport = await stage.connect();
      await transport.cast({ topic: 'desk' }, { id: 'poison', pattern: 'desk.file', body });
      await transport.cast(
        { topic: 'desk' },
        { id: 'food', pattern: 'desk.file', body: encodeEnvelope('', ctx, { text: 'ok' }) },
      );
      await expect(got.until(1)).resolves.toEqual(['ok']);
      const letters = await eventually(
        () => transport.deadLetters.list(),
        (l) => l.length > 0,
      );
      expect(letters).toEqual([
        expect.objectContaining({ id: 'poison', attempts: 1, reason: expect.stringContaining(reason) }),
      ]);
      await transport.deadLetters.drop('poison');
      await expect(transport.deadLetters.list()).resolves.toEqual([]);
    });

    it('is dead-lettered when nobody knows the method', async () => {
      await stage.desk({});
      const transport = await stage.connect();
      const body = encodeEnvelope('desk.novelty', ctx, {});
      await transport.cast({ topic: 'desk' }, { id: 'new', pattern: 'desk.novelty', body });
      const letters = await eventually(
        () => transport.deadLetters.list(),
        (l) => l.length > 0,
      );
      expect(letters[0].reason).toContain('unimplemented');
    });

    it('names the sender as the broker knows it', async () => {
      const got = new Probe<string | undefined>();
      await stage.desk({ file: async (c) => got.note(deliveryOf(c)?.sender) });
      const agent = await stage.connect({ user: 'agent-7' });
      await rpcClient(agent, deskContract).file({ ...ctx, userId: 'conductor' }, { text: '' });
      await expect(got.until(1)).resolves.toEqual(['agent-7']);
    });

    it('still knows the sender of a dead letter, and of one that is sent again', async () => {
      const got = new Probe<string | undefined>();
      let broken = true;
      await stage.desk({
        file: async (c) => {
          got.note(deliveryOf(c)?.sender);
          if (broken) throw new Error('not now');
        },
      });
      const agent = await stage.connect({ user: 'agent-7' });
      await rpcClient(agent, deskContract).file(ctx, { text: '' });
      const transport = await stage.connect();
      const [letter] = await eventually(
        () => transport.deadLetters.list(),
        (l) => l.length > 0,
      );
      expect(letter.sender).toBe('agent-7');
      broken = false;
      await transport.deadLetters.retry(letter.id);
      await expect(got.until(4)).resolves.toEqual(Array(4).fill('agent-7'));
    });
  });
}
