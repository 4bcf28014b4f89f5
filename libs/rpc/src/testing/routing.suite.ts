import { rpcClient, rpcHostClient } from '../client';
import { deliveryOf } from '../delivery-info';
import { ctx, deskContract, Gate, Probe, roomContract, Stage, type OpenHarness, type Script } from './fixture';

export function describeRouting(open: OpenHarness): void {
  describe('routing', () => {
    let stage: Stage;
    beforeEach(async () => void (stage = await Stage.open(open)));
    afterEach(() => stage.end());

    const named = (name: string): Script => ({
      ask: async (c) => ({ text: `${name} for ${deliveryOf(c)?.host}` }),
    });

    it('reaches the agent of the host and no other', async () => {
      await stage.room('a1', ['h1', 'h2'], named('a1'));
      await stage.room('a2', ['h3'], named('a2'));
      const rooms = rpcHostClient(await stage.connect(), roomContract);
      const ask = (host: string) => rooms.on(host).ask(ctx, { text: '' });
      await expect(Promise.all(['h1', 'h2', 'h3'].map(ask))).resolves.toEqual([
        { text: 'a1 for h1' },
        { text: 'a1 for h2' },
        { text: 'a2 for h3' },
      ]);
    });

    it('follows hosts that come and go', async () => {
      const serving = await stage.room('a1', [], named('a1'));
      const host = rpcHostClient(await stage.connect(), roomContract).on('h1');
      await expect(host.ask(ctx, { text: '' })).rejects.toMatchObject({ kind: 'unroutable' });
      await serving.addHost('h1');
      await expect(host.ask(ctx, { text: '' })).resolves.toEqual({ text: 'a1 for h1' });
      await serving.removeHost('h1');
      await expect(host.ask(ctx, { text: '' })).rejects.toMatchObject({ kind: 'unroutable' });
    });

    it('fails at once for a host that nobody serves, calls and casts alike', async () => {
      await stage.room('a1', ['h1'], {});
      const host = rpcHostClient(await stage.connect(), roomContract).on('h9');
      const unroutable = { kind: 'unroutable', code: 'rpc.unroutable', details: { topic: 'room', host: 'h9' } };
      await expect(host.ask(ctx, { text: '' })).rejects.toMatchObject(unroutable);
      await expect(host.file(ctx, { text: '' })).rejects.toMatchObject(unroutable);
    });

    it('fails at once for a call to a queue that nobody consumes, also when somebody did before', async () => {
      const desk = rpcClient(await stage.connect(), deskContract);
      await expect(desk.ask(ctx, { text: '' })).rejects.toMatchObject({ kind: 'unroutable' });
      const serving = await stage.desk({});
      await desk.ask(ctx, { text: '' });
      await serving.close();
      await expect(desk.ask(ctx, { text: '' })).rejects.toMatchObject({ kind: 'unroutable' });
    });

    it('serves many hosts from one process', async () => {
      const hosts = Array.from({ length: 500 }, (_, i) => `h${i}`);
      const got = new Probe<string | undefined>();
      await stage.room('a1', hosts, { file: async (c) => got.note(deliveryOf(c)?.host) });
      const rooms = rpcHostClient(await stage.connect(), roomContract);
      await Promise.all(hosts.map((h) => rooms.on(h).file(ctx, { text: '' })));
      expect((await got.until(500)).sort()).toEqual([...hosts].sort());
    });

    it('shares work between the instances of an app', async () => {
      const gate = new Gate();
      const by = new Probe<string>();
      const script = (name: string): Script => ({ file: async () => (by.note(name), await gate.opened) });
      await stage.desk(script('one'), { concurrency: 1 });
      await stage.desk(script('two'), { concurrency: 1 });
      const desk = rpcClient(await stage.connect(), deskContract);
      await desk.file(ctx, { text: 'a' });
      await desk.file(ctx, { text: 'b' });
      expect((await by.until(2)).sort()).toEqual(['one', 'two']);
      gate.open();
    });

    it('tells news to every subscriber, in order', async () => {
      const heard = [new Probe<number | undefined>(), new Probe<number | undefined>()];
      for (const probe of heard) await stage.desk({ heard: async (_ctx, { number }) => probe.note(number) });
      const desk = rpcClient(await stage.connect(), deskContract);
      for (const number of [1, 2, 3]) await desk.heard(ctx, { text: '', number });
      for (const probe of heard) await expect(probe.until(3)).resolves.toEqual([1, 2, 3]);
    });

    it('does not mind news that nobody hears', async () => {
      const desk = rpcClient(await stage.connect(), deskContract);
      await expect(desk.heard(ctx, { text: '' })).resolves.toBeUndefined();
    });
  });
}
