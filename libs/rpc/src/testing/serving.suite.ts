import { rpcClient, rpcHostClient } from '../client';
import { deliveryOf } from '../delivery-info';
import { ctx, deskContract, Gate, Probe, Question, roomContract, Stage, type OpenHarness } from './fixture';

/** Counts handlers at work, and holds each until its own gate is opened. */
class Workshop {
  readonly started = new Probe<string>();
  readonly finished = new Probe<string>();
  running = 0;
  most = 0;
  private readonly gates = new Map<string, Gate>();

  gate(text: string): Gate {
    let gate = this.gates.get(text);
    if (!gate) this.gates.set(text, (gate = new Gate()));
    return gate;
  }

  work = async (_ctx: unknown, { text }: Question): Promise<void> => {
    this.most = Math.max(this.most, ++this.running);
    this.started.note(text);
    await this.gate(text).opened;
    this.running--;
    this.finished.note(text);
  };
}

export function describeServing(open: OpenHarness): void {
  describe('serving', () => {
    let stage: Stage;
    beforeEach(async () => void (stage = await Stage.open(open)));
    afterEach(() => stage.end());

    it('handles no more casts at once than it may', async () => {
      const shop = new Workshop();
      await stage.desk({ file: shop.work }, { concurrency: 2 });
      const desk = rpcClient(await stage.connect(), deskContract);
      const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const text of texts) await desk.file(ctx, { text });
      for (const [i, text] of texts.entries()) {
        await shop.started.until(Math.min(i + 2, texts.length));
        expect(shop.running).toBe(Math.min(2, texts.length - i));
        shop.gate(text).open();
        await shop.finished.until(i + 1);
      }
      expect(shop.most).toBe(2);
    });

    it('answers calls while every place for casts is taken', async () => {
      const shop = new Workshop();
      await stage.desk({ file: shop.work }, { concurrency: 1 });
      const desk = rpcClient(await stage.connect(), deskContract);
      for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await desk.file(ctx, { text });
      await shop.started.until(1);
      await expect(desk.ask(ctx, { text: 'still there?' })).resolves.toEqual({ text: 'still there?' });
    });

    it('bounds the work of one host without holding up another', async () => {
      const shop = new Workshop();
      await stage.room('a1', ['h1', 'h2'], { file: shop.work }, { hostConcurrency: 1 });
      const rooms = rpcHostClient(await stage.connect(), roomContract);
      await rooms.on('h1').file(ctx, { text: 'h1 first' });
      await rooms.on('h1').file(ctx, { text: 'h1 second' });
      await rooms.on('h2').file(ctx, { text: 'h2 first' });
      await expect(shop.started.until(2)).resolves.toEqual(['h1 first', 'h2 first']);
      shop.gate('h1 first').open();
      await expect(shop.started.until(3)).resolves.toEqual(['h1 first', 'h2 first', 'h1 second']);
    });

    it('works one at a time and in order per key, side by side across keys', async () => {
      const shop = new Workshop();
      const serialKey = (request: unknown) => (request as Question).text.slice(0, 1);
      await stage.desk({ file: shop.work }, { concurrency: 8, serialKey });
      const desk = rpcClient(await stage.connect(), deskContract);
      for (const text of ['a1', 'a2', 'a3', 'b1', 'b2']) await desk.file(ctx, { text });
      await expect(shop.started.until(2)).resolves.toEqual(['a1', 'b1']);
      shop.gate('b1').open();
      await expect(shop.started.until(3)).resolves.toEqual(['a1', 'b1', 'b2']);
      shop.gate('a1').open();
      await expect(shop.started.until(4)).resolves.toEqual(['a1', 'b1', 'b2', 'a2']);
      shop.gate('a2').open();
      await expect(shop.started.until(5)).resolves.toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
    });

    it('drains: finishes what runs, delivers the reply, leaves the rest to others', async () => {
      const shop = new Workshop();
      const asked = new Probe<string>();
      const answer = new Gate();
      const first = await stage.desk(
        { file: shop.work, ask: async (_ctx, request) => (asked.note(''), await answer.opened, request) },
        { concurrency: 1 },
      );
      const transport = await stage.connect();
      const desk = rpcClient(transport, deskContract);
      const call = desk.ask(ctx, { text: 'in flight' });
      for (const text of ['running', 'waiting 1', 'waiting 2']) await desk.file(ctx, { text });
      await Promise.all([shop.started.until(1), asked.until(1)]);

      let closed = false;
      const closing = first.close().then(() => (closed = true));
      const others = new Probe<{ text: string; attempt: number | undefined }>();
      await stage.desk({ file: async (c, { text }) => others.note({ text, attempt: deliveryOf(c)?.attempt }) });
      const taken = await others.until(2);
      expect(taken.map((t) => t.text)).toEqual(['waiting 1', 'waiting 2']);
      expect(closed).toBe(false);

      answer.open();
      await expect(call).resolves.toEqual({ text: 'in flight' });
      shop.gate('running').open();
      await closing;
      expect(shop.finished.seen).toEqual(['running']);
      expect(others.seen).toHaveLength(2);
      await expect(transport.deadLetters.list()).resolves.toEqual([]);
    });

    it('takes nothing more once it is closed', async () => {
      const shop = new Workshop();
      const serving = await stage.desk({ file: shop.work });
      await serving.close();
      await rpcClient(await stage.connect(), deskContract).file(ctx, { text: 'a' });
      const next = new Probe<string>();
      await stage.desk({ file: async (_ctx, { text }) => next.note(text) });
      await expect(next.until(1)).resolves.toEqual(['a']);
      expect(shop.started.seen).toEqual([]);
    });
  });
}
