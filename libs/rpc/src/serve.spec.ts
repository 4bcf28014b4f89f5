import { Controller, Get, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PATTERN_METADATA } from '@nestjs/microservices/constants';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { conflict, type RequestContext } from '@fractus/objects';
import { call, defineContract, type Handlers } from '@fractus/rpc-contracts';
import { lastValueFrom } from 'rxjs';
import { rpcClient, rpcHostClient } from './client';
import { RpcClientProxy } from './client-proxy';
import { RpcHandlers } from './handlers';
import { createInProcessTransport } from './in-process';
import { serveRpc } from './serve';
import {
  Answer,
  ctx,
  deskContract,
  DeskController,
  Question,
  quiet,
  roomContract,
  TestModule,
} from './testing/fixture';

const otherContract = defineContract('other', 'queue', { ask: call(Question, Answer) });

@RpcHandlers(otherContract)
class OtherController implements Handlers<typeof otherContract> {
  async ask(_ctx: RequestContext, { text }: Question): Promise<Answer> {
    return { text: `other ${text}` };
  }
}

@Controller()
class WebController {
  @Get('/hello')
  hello(): string {
    return 'hello';
  }
}

@Module({ imports: [TestModule.with({})], controllers: [WebController, OtherController] })
class HybridModule {}

describe('serveRpc', () => {
  const transport = createInProcessTransport({ logger: quiet });
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const c of closing.splice(0).reverse()) await c.close();
  });
  afterAll(() => transport.close());

  const contextOf = async (module: Parameters<typeof NestFactory.createApplicationContext>[0]) => {
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    closing.push(app);
    return app;
  };

  it('serves an HTTP app beside its REST routes, several contracts at once', async () => {
    const app: INestApplication = await NestFactory.create(HybridModule, new FastifyAdapter(), { logger: false });
    closing.push(app);
    await app.listen(0, '127.0.0.1');
    closing.push(await serveRpc(app, transport, { contracts: [deskContract, otherContract], logger: quiet }));
    await expect((await fetch(`${await app.getUrl()}/hello`)).text()).resolves.toBe('hello');
    await expect(rpcClient(transport, deskContract).ask(ctx, { text: 'rpc' })).resolves.toEqual({ text: 'rpc' });
    await expect(rpcClient(transport, otherContract).ask(ctx, { text: 'rpc' })).resolves.toEqual({ text: 'other rpc' });
  });

  it('refuses to start without a handler, or with two', async () => {
    const serve = async (module: Parameters<typeof NestFactory.createApplicationContext>[0]) =>
      serveRpc(await contextOf(module), transport, { contracts: [deskContract], logger: quiet });
    @Module({})
    class EmptyModule {}
    await expect(serve(EmptyModule)).rejects.toThrow('no controller has @RpcHandlers for the contract desk');
    @Module({ imports: [TestModule.with({}), { ...TestModule.with({}), module: EmptyModule }] })
    class TwiceModule {}
    await expect(serve(TwiceModule)).rejects.toThrow('DeskController and DeskController both handle the contract desk');
  });

  it('refuses a class that lacks a method, in the decorator', () => {
    expect(() => {
      // @ts-expect-error -- does not compile either
      @RpcHandlers(otherContract)
      class Lacking {}
      return Lacking;
    }).toThrow('Lacking has no method ask of the contract other');
  });

  it('needs an instance name for hosts', async () => {
    const app = await contextOf(TestModule.with({}));
    await expect(serveRpc(app, transport, { contracts: [roomContract], hosts: ['h1'] })).rejects.toThrow('instance');
  });

  it('gives up waiting after drainMs, and says so', async () => {
    const warnings: string[] = [];
    const logger = { error: () => undefined, warn: (_fields: object, message: string) => void warnings.push(message) };
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    const app = await contextOf(TestModule.with({ file: () => (started(), new Promise(() => undefined)) }));
    const own = createInProcessTransport({ logger: quiet });
    const serving = await serveRpc(app, own, { contracts: [deskContract], drainMs: 1, logger });
    await rpcClient(own, deskContract).file(ctx, { text: '' });
    await running;
    await serving.close();
    expect(warnings).toEqual(['RPC handlers still run; their casts will be redelivered']);
    await own.close();
  });

  it('gives the transport nothing to send when the deadline has passed', async () => {
    const call = jest.spyOn(transport, 'call');
    const late = rpcClient(transport, deskContract).ask({ ...ctx, deadline: Date.now() - 1 }, { text: '' });
    await expect(late).rejects.toMatchObject({ kind: 'timeout', code: 'rpc.timeout' });
    expect(call).not.toHaveBeenCalled();
    call.mockRestore();
  });

  it('counts what it handles and what it sends, by outcome', async () => {
    const counted: string[] = [];
    const metrics = {
      rpc: ({ side, method, outcome }: { side: string; method: string; outcome: string }, seconds: number) => {
        expect(seconds).toBeGreaterThanOrEqual(0);
        counted.push(`${side} ${method} ${outcome}`);
      },
    };
    const app = await contextOf(TestModule.with({ ask: async () => Promise.reject(conflict('no')) }));
    closing.push(await serveRpc(app, transport, { contracts: [deskContract], logger: quiet, metrics }));
    const desk = rpcClient(transport, deskContract, { metrics });
    await expect(desk.ask(ctx, { text: '' })).rejects.toMatchObject({ kind: 'conflict' });
    await desk.heard(ctx, { text: '' });
    expect(counted).toEqual(['server desk.ask conflict', 'client desk.ask conflict', 'client desk.heard ok']);
  });

  it("marks the methods with Nest's patterns", () => {
    expect(Reflect.getMetadata(PATTERN_METADATA, DeskController.prototype.ask)).toEqual(['desk.ask']);
  });

  it('refuses to call a host contract without a host', async () => {
    await expect(rpcClient(transport, roomContract).ask(ctx, { text: '' })).rejects.toMatchObject({
      code: 'rpc.address',
    });
    expect(() => rpcHostClient(transport, deskContract)).toThrow('not routed by host');
  });

  it("is reached through Nest's ClientProxy too", async () => {
    closing.push(
      await serveRpc(await contextOf(TestModule.with({})), transport, { contracts: [deskContract], logger: quiet }),
    );
    const proxy = new RpcClientProxy(transport, [deskContract]);
    await expect(lastValueFrom(proxy.send('desk.ask', { ctx, request: { text: 'x' } }))).resolves.toEqual({
      text: 'x',
    });
    await expect(lastValueFrom(proxy.send('desk.ask', { ctx, request: { text: 1 } }))).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(lastValueFrom(proxy.emit('desk.file', { ctx, request: { text: 'x' } }))).resolves.toBeUndefined();
  });
});
