import { conflict, FractusError, type RequestContext } from '@fractus/objects';
import { rpcClient } from '../client';
import { encodeEnvelope } from '../envelope';
import { Answer, ctx, deskContract, Gate, Probe, Question, SETUP, Stage, type OpenHarness } from './fixture';

class SecretiveError extends Error {}

export function describeCalls(open: OpenHarness): void {
  describe('calls', () => {
    let stage: Stage;
    beforeEach(async () => void (stage = await Stage.open(open)));
    afterEach(() => stage.end());
    const client = async () => rpcClient(await stage.connect(), deskContract);

    it('answers', async () => {
      await stage.desk({ ask: async (_ctx, { text, number }) => ({ text: `${text} ${number}` }) });
      await expect((await client()).ask(ctx, { text: 'hi', number: 3 })).resolves.toEqual({ text: 'hi 3' });
    });

    it('copies as JSON does: the undefined is gone, and the callee cannot reach the object of the caller', async () => {
      const got = new Probe<Question>();
      await stage.desk({ ask: async (_ctx, request) => (got.note(request), { text: (request.text = 'changed') }) });
      const request: Question = { text: 'mine', number: undefined };
      await (await client()).ask(ctx, request);
      expect(request.text).toBe('mine');
      expect('number' in got.seen[0]).toBe(false);
    });

    it.each([
      ['a date', new Date(0)],
      ['a map', new Map()],
      ['a buffer', Buffer.from('x')],
      ['NaN', NaN],
      ['a bigint', 1n],
    ])('refuses %s in a payload, which JSON would change', async (_what, value) => {
      await stage.desk({});
      const request = { text: value } as unknown as Question;
      await expect((await client()).ask(ctx, request)).rejects.toMatchObject({ kind: 'internal', code: 'rpc.payload' });
    });

    it('carries the whole context, with a deadline and a span of its own', async () => {
      const got = new Probe<RequestContext>();
      await stage.desk({ ask: async (c, request) => (got.note(c), request) });
      await (await client()).ask(ctx, { text: '' });
      const { deadline, traceparent, ...rest } = got.seen[0];
      const { traceparent: sent, ...whole } = ctx;
      expect(rest).toEqual(whole);
      expect(typeof deadline).toBe('number');
      expect(traceparent?.slice(0, 36)).toBe(sent?.slice(0, 36));
      expect(traceparent).not.toBe(sent);
      expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    });

    it('keeps an earlier deadline of the context', async () => {
      const got = new Probe<number | undefined>();
      await stage.desk({ ask: async (c, request) => (got.note(c.deadline), request) });
      const deadline = Date.now() + 10_000;
      await (await client()).ask({ ...ctx, deadline }, { text: '' });
      await (await client()).ask({ ...ctx, deadline: deadline + 3_600_000 }, { text: '' });
      expect(got.seen[0]).toBe(deadline);
      expect(got.seen[1]).toBeLessThan(deadline + 3_600_000);
    });

    it('times out with a typed error', async () => {
      const gate = new Gate();
      await stage.desk({ ask: async (_ctx, request) => (await gate.opened, request) });
      const call = (await client()).ask({ ...ctx, deadline: Date.now() + 30 }, { text: '' });
      await expect(call).rejects.toMatchObject({ kind: 'timeout', code: 'rpc.timeout' });
      gate.open();
    });

    it('does no work past the deadline', async () => {
      const gate = new Gate();
      const started = new Probe<string>();
      const serving = await stage.desk(
        { ask: async (_ctx, request) => (started.note(request.text), await gate.opened, request) },
        { callConcurrency: 1 },
      );
      const desk = await client();
      const first = desk.ask(ctx, { text: 'first' });
      await started.until(1);
      await expect(desk.ask({ ...ctx, deadline: Date.now() + 30 }, { text: 'late' })).rejects.toMatchObject({
        kind: 'timeout',
      });
      gate.open();
      await first;
      await serving.close();
      expect(started.seen).toEqual(['first']);
    });

    it('is not sent when the deadline has passed already', async () => {
      const started = new Probe<string>();
      const serving = await stage.desk({ ask: async (_ctx, request) => (started.note(request.text), request) });
      const call = (await client()).ask({ ...ctx, deadline: Date.now() - 1 }, { text: '' });
      await expect(call).rejects.toMatchObject({ kind: 'timeout' });
      await serving.close();
      expect(started.seen).toEqual([]);
    });

    it('brings an error back whole', async () => {
      await stage.desk({
        ask: async () => {
          throw conflict('Server is locked', {
            code: 'server.locked',
            details: { by: ['ann'] },
            retryAfter: 7,
            cause: 'hidden',
          });
        },
      });
      const e = await (await client()).ask(ctx, { text: '' }).catch((error: unknown) => error as FractusError);
      expect(e).toBeInstanceOf(FractusError);
      expect(e).toMatchObject({ kind: 'conflict', code: 'server.locked', details: { by: ['ann'] }, retryAfter: 7 });
      expect(e).toHaveProperty('message', 'Server is locked');
      expect(e).not.toHaveProperty('cause');
    });

    it('tells no more than the class of an unknown error, and logs the cause', async () => {
      const logged = new Probe<object>();
      const logger = { warn: () => undefined, error: (fields: object) => logged.note(fields) };
      const cause = new SecretiveError('password=hunter2');
      await stage.desk({ ask: async () => Promise.reject(cause) }, { logger });
      const call = (await client()).ask(ctx, { text: '' });
      await expect(call).rejects.toMatchObject({ kind: 'internal', message: 'desk.ask failed (SecretiveError)' });
      expect(logged.seen).toEqual([expect.objectContaining({ err: cause, requestId: ctx.requestId })]);
    });

    it('validates the request on arrival, naming the field', async () => {
      const started = new Probe<unknown>();
      await stage.desk({ ask: async (_ctx, request) => (started.note(request), request) });
      const call = (await client()).ask(ctx, { text: 1 } as unknown as Question);
      await expect(call).rejects.toMatchObject({
        kind: 'invalid',
        code: 'rpc.request',
        message: expect.stringContaining('text'),
      });
      expect(started.seen).toEqual([]);
    });

    it('validates the answer on arrival', async () => {
      await stage.desk({ ask: async () => ({ words: 'none' }) as unknown as Answer });
      const call = (await client()).ask(ctx, { text: '' });
      await expect(call).rejects.toMatchObject({
        kind: 'internal',
        code: 'rpc.answer',
        message: expect.stringContaining('text'),
      });
    });

    it('lets a newer sender add fields', async () => {
      await stage.desk({ ask: async (_ctx, request) => ({ text: request.text, colour: 'blue' }) as Answer });
      const call = (await client()).ask(ctx, { text: 'x', colour: 'red' } as Question);
      await expect(call).resolves.toMatchObject({ text: 'x' });
    });

    it('says so when the callee is too old for the method', async () => {
      await stage.desk({});
      const transport = await stage.connect();
      const message = { id: 'm1', pattern: 'desk.novelty', body: encodeEnvelope('desk.novelty', ctx, {}) };
      const answer = JSON.parse(await transport.call({ topic: 'desk' }, message, Date.now() + 20_000)) as object;
      expect(answer).toMatchObject({ error: { kind: 'unimplemented', code: 'rpc.method' } });
    });

    it('refuses more than so many pending calls', async () => {
      const gate = new Gate();
      await stage.desk({ ask: async (_ctx, request) => (await gate.opened, request) });
      const desk = await client();
      const pending = Array.from({ length: SETUP.maxPendingCalls }, (_, i) => desk.ask(ctx, { text: String(i) }));
      await expect(desk.ask(ctx, { text: 'more' })).rejects.toMatchObject({ kind: 'unavailable', code: 'rpc.busy' });
      gate.open();
      await expect(Promise.all(pending)).resolves.toHaveLength(SETUP.maxPendingCalls);
      await expect(desk.ask(ctx, { text: 'again' })).resolves.toEqual({ text: 'again' });
    });

    it('fails pending calls when their own connection closes', async () => {
      const gate = new Gate();
      const started = new Probe<string>();
      await stage.desk({ ask: async (_ctx, request) => (started.note(''), await gate.opened, request) });
      const transport = await stage.connect();
      const call = rpcClient(transport, deskContract).ask(ctx, { text: '' });
      const refused = expect(call).rejects.toMatchObject({ kind: 'unavailable' });
      await started.until(1);
      await transport.close();
      await refused;
      gate.open();
    });

    it('asks first whether a unit of work is open, for casts and news too', async () => {
      const asked: string[] = [];
      const assertOutsideTransaction = (what: string): void => {
        asked.push(what);
        throw new Error('a unit of work is open');
      };
      const desk = rpcClient(await stage.connect(), deskContract, { assertOutsideTransaction });
      for (const send of [desk.ask, desk.file, desk.heard]) {
        await expect(send(ctx, { text: '' })).rejects.toThrow('a unit of work is open');
      }
      expect(asked).toEqual(['RPC desk.ask', 'RPC desk.file', 'RPC desk.heard']);
    });
  });
}
