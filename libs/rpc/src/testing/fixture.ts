import { Inject, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { RequestContext } from '@fractus/objects';
import { call, cast, defineContract, news, type Handlers } from '@fractus/rpc-contracts';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { RpcHandlers } from '../handlers';
import type { RpcServerOptions } from '../server';
import { serveRpc, type RpcServing } from '../serve';
import type { RpcTransport } from '../transport';

export class Question {
  @IsString() text: string;
  @IsOptional() @IsInt() number?: number;
}
export class Answer {
  @IsString() text: string;
}

export const deskContract = defineContract('desk', 'queue', {
  ask: call(Question, Answer, 20_000),
  file: cast(Question),
  heard: news(Question),
});
export const roomContract = defineContract('room', 'host', {
  ask: call(Question, Answer, 20_000),
  file: cast(Question),
});

type Desk = Handlers<typeof deskContract>;
/** What the handlers do, test by test. */
export type Script = Partial<Desk>;
const SCRIPT = Symbol('script');

@RpcHandlers(deskContract)
export class DeskController implements Desk {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}
  async ask(ctx: RequestContext, request: Question): Promise<Answer> {
    return this.script.ask ? this.script.ask(ctx, request) : { text: request.text };
  }
  async file(ctx: RequestContext, request: Question): Promise<void> {
    await this.script.file?.(ctx, request);
  }
  async heard(ctx: RequestContext, request: Question): Promise<void> {
    await this.script.heard?.(ctx, request);
  }
}

@RpcHandlers(roomContract)
export class RoomController implements Handlers<typeof roomContract> {
  constructor(@Inject(SCRIPT) private readonly script: Script) {}
  async ask(ctx: RequestContext, request: Question): Promise<Answer> {
    return this.script.ask ? this.script.ask(ctx, request) : { text: request.text };
  }
  async file(ctx: RequestContext, request: Question): Promise<void> {
    await this.script.file?.(ctx, request);
  }
}

export class TestModule {
  static with(script: Script): DynamicModule {
    const providers = [{ provide: SCRIPT, useValue: script }];
    return { module: TestModule, controllers: [DeskController, RoomController], providers };
  }
}

export const quiet = { warn: () => undefined, error: () => undefined };

/** What a suite needs of a transport: connections to one and the same fresh broker. */
export interface TransportHarness {
  /** A connection as another process would make it. */
  connect(options?: ConnectOptions): Promise<RpcTransport>;
  close(): Promise<void>;
}
export interface ConnectOptions {
  /** The broker-validated user. */
  readonly user?: string;
}
/** How the broker must be set up. */
export interface HarnessOptions {
  readonly deliveryLimit: number;
  /** Pause before a failed cast is delivered again; the suite wants none. */
  readonly retryDelayMs: number;
  readonly maxPendingCalls: number;
}
export type OpenHarness = (options: HarnessOptions) => Promise<TransportHarness>;

export const SETUP: HarnessOptions = { deliveryLimit: 3, retryDelayMs: 0, maxPendingCalls: 8 };

/** A broker with the apps that a test starts on it; `end` closes all. */
export class Stage {
  private readonly apps: INestApplicationContext[] = [];
  private readonly servings: RpcServing[] = [];

  private constructor(private readonly harness: TransportHarness) {}

  static async open(open: OpenHarness): Promise<Stage> {
    return new Stage(await open(SETUP));
  }

  connect(options?: ConnectOptions): Promise<RpcTransport> {
    return this.harness.connect(options);
  }

  /** An app in a process of its own that serves the desk. */
  desk(script: Script, options: Partial<RpcServerOptions> = {}): Promise<RpcServing> {
    return this.serve(script, { contracts: [deskContract], ...options });
  }

  /** An agent in a process of its own that serves the rooms `hosts`. */
  room(
    instance: string,
    hosts: string[],
    script: Script,
    options: Partial<RpcServerOptions> = {},
  ): Promise<RpcServing> {
    return this.serve(script, { contracts: [roomContract], instance, hosts, ...options });
  }

  private async serve(script: Script, options: RpcServerOptions): Promise<RpcServing> {
    const app = await NestFactory.createApplicationContext(TestModule.with(script), { logger: false });
    this.apps.push(app);
    const serving = await serveRpc(app, await this.connect(), { logger: quiet, ...options });
    this.servings.push(serving);
    return serving;
  }

  async end(): Promise<void> {
    await Promise.all(this.servings.map((s) => s.kill()));
    await Promise.all(this.apps.map((a) => a.close()));
    await this.harness.close();
  }
}

/** A promise with its handle. */
export class Gate {
  private release: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  open(): void {
    this.release();
  }
}

/** Collects what happens and lets a test wait for it. */
export class Probe<T> {
  readonly seen: T[] = [];
  private waiting: { count: number; resolve: (all: T[]) => void }[] = [];

  note(value: T): void {
    this.seen.push(value);
    for (const w of this.waiting) if (this.seen.length >= w.count) w.resolve([...this.seen]);
    this.waiting = this.waiting.filter((w) => this.seen.length < w.count);
  }

  /** Everything seen, once there are `count` of them. */
  async until(count: number): Promise<T[]> {
    if (this.seen.length >= count) return [...this.seen];
    return new Promise((resolve) => this.waiting.push({ count, resolve }));
  }
}

/** Repeats a question until the answer satisfies; for what a broker does not announce. Yields to I/O in between. */
export async function eventually<T>(ask: () => Promise<T>, satisfied: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (satisfied(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const ctx: RequestContext = {
  requestId: 'req-7e1a5f8e-6f0b-4d9b-8a55-0d5d1b1f6f11',
  globalRequestId: 'req-0f0f0f0f-6f0b-4d9b-8a55-0d5d1b1f6f11',
  userId: 'u1',
  userName: 'ann',
  userDomainId: 'default',
  projectId: 'p1',
  projectName: 'demo',
  projectDomainId: 'default',
  roles: ['member', 'reader'],
  systemScope: null,
  domainId: null,
  serviceRoles: ['service'],
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};
