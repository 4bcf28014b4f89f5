import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig, type DeepPartial } from '@fractus/config';
import { systemContext, unavailable, unimplemented, type RequestContext } from '@fractus/objects';
import { createInProcessTransport, rpcHostClient, RpcHandlers, serveRpc, type InProcessTransport } from '@fractus/rpc';
import {
  computeContract,
  conductorContract,
  placementContract,
  schedulerNews,
  type EnsureProviders,
  type GuestEvent,
  type GuestVerdict,
  type Handlers,
  type HostReport,
  type OperationFinished,
  type OperationProgress,
  type OperationRef,
  type ProviderIds,
  type ProviderRecord,
  type ProviderRecords,
  type ProviderUpdateResults,
  type ReattachHost,
  type ReattachVerdicts,
  type ReconcileFindings,
  type RegisteredHosts,
  type RegisterHosts,
  type UpdateProviders,
} from '@fractus/rpc-contracts';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import { guestSpec, ManualClock, type GuestSpec } from '@fractus/virt';
import {
  createSimulatedDriver,
  NO_LATENCY,
  readLedger,
  type LedgerEntry,
  type SimulatedDriver,
} from '@fractus/virt-simulated';
import { ComputeAgentConfig, startComputeAgent, type RunningComputeAgent } from '../src/app.module';

/** Conductor as far as agents see it: notes what it hears, answers as it is told. */
@RpcHandlers(conductorContract)
export class RecordingConductor implements Handlers<typeof conductorContract> {
  readonly progress: OperationProgress[] = [];
  readonly finished: OperationFinished[] = [];
  readonly registered: RegisterHosts[] = [];
  readonly reattached: ReattachHost[] = [];
  readonly reports: HostReport[] = [];
  readonly events: GuestEvent[] = [];
  /** Server → what to answer; `keep` with the agent's own fence for others. */
  readonly verdicts = new Map<string, Omit<GuestVerdict, 'serverId'>>();
  readonly disabled = new Set<string>();
  readonly nodeIds = new Map<string, string>();

  async taskReady(): Promise<void> {}
  async operationProgress(_ctx: RequestContext, p: OperationProgress): Promise<void> {
    this.progress.push(p);
  }
  async operationFinished(_ctx: RequestContext, f: OperationFinished): Promise<void> {
    this.finished.push(f);
  }
  async registerHosts(_ctx: RequestContext, r: RegisterHosts): Promise<RegisteredHosts> {
    this.registered.push(r);
    return {
      hosts: r.hosts.map((h) => ({
        host: h.host,
        serviceId: randomUUID(),
        nodeId: this.nodeIds.get(h.host) ?? h.nodeId,
        disabled: this.disabled.has(h.host),
        disabledReason: null,
      })),
    };
  }
  async hostReport(_ctx: RequestContext, r: HostReport): Promise<void> {
    this.reports.push(r);
  }
  async reattachHost(_ctx: RequestContext, r: ReattachHost): Promise<ReattachVerdicts> {
    this.reattached.push(r);
    return {
      guests: r.guests.map((g) => ({
        serverId: g.serverId,
        ...(this.verdicts.get(g.serverId) ?? { verdict: 'keep' as const, fence: g.fence }),
      })),
    };
  }
  async guestEvent(_ctx: RequestContext, e: GuestEvent): Promise<void> {
    this.events.push(e);
  }
  async runReconcilers(): Promise<ReconcileFindings> {
    return notHere();
  }
}

const notHere = async (): Promise<never> => {
  throw unimplemented('not part of this test');
};

/** Placement's providers with generations; no more. */
@RpcHandlers(placementContract)
export class RecordingPlacement implements Handlers<typeof placementContract> {
  readonly providers = new Map<string, ProviderRecord>();
  readonly updates: UpdateProviders[] = [];
  /** Updates that find the generation moved on. */
  contended = 0;
  down = false;

  async ensureProviders(_ctx: RequestContext, { providers }: EnsureProviders): Promise<ProviderRecords> {
    if (this.down) throw unavailable('placement is down');
    for (const { providerId, name, parentId } of providers) {
      if (this.providers.has(providerId)) continue;
      this.providers.set(providerId, {
        providerId,
        name,
        parentId,
        rootId: providerId,
        generation: 0,
        inventories: {},
        usages: {},
        traits: [],
        aggregates: [],
      });
    }
    return this.read(providers.map((p) => p.providerId));
  }
  async getProviders(_ctx: RequestContext, { providerIds }: ProviderIds): Promise<ProviderRecords> {
    return this.read(providerIds);
  }
  async updateProviders(_ctx: RequestContext, request: UpdateProviders): Promise<ProviderUpdateResults> {
    if (this.down) throw unavailable('placement is down');
    this.updates.push(request);
    const results = request.updates.map((update) => {
      const record = this.providers.get(update.providerId);
      if (record && this.contended > 0) {
        this.contended--;
        record.generation++;
      }
      if (!record || record.generation !== update.generation)
        return { providerId: update.providerId, generation: null, error: 'placement.concurrent_update' };
      const { inventories = record.inventories, traits = record.traits } = update;
      this.providers.set(update.providerId, { ...record, inventories, traits, generation: record.generation + 1 });
      return { providerId: update.providerId, generation: record.generation + 1 };
    });
    return { results };
  }
  getTrees(): Promise<never> {
    return notHere();
  }
  deleteProvider(): Promise<never> {
    return notHere();
  }
  getCandidates(): Promise<never> {
    return notHere();
  }
  explainCandidates(): Promise<never> {
    return notHere();
  }
  writeAllocations(): Promise<never> {
    return notHere();
  }
  getAllocations(): Promise<never> {
    return notHere();
  }
  deleteAllocations(): Promise<never> {
    return notHere();
  }
  listConsumers(): Promise<never> {
    return notHere();
  }

  private read(ids: readonly string[]): ProviderRecords {
    return { providers: ids.flatMap((id) => this.providers.get(id) ?? []) };
  }
}

@RpcHandlers(schedulerNews)
export class RecordingNews implements Handlers<typeof schedulerNews> {
  readonly reports: HostReport[] = [];
  async hosts(_ctx: RequestContext, r: HostReport): Promise<void> {
    this.reports.push(r);
  }
  async aggregatesChanged(): Promise<void> {}
  async serviceChanged(): Promise<void> {}
}

@Module({ controllers: [RecordingConductor, RecordingPlacement, RecordingNews] })
class Neighbours {}

/** An agent between recorded neighbours, on a clock that is turned by hand. */
export class World {
  readonly stateDir = mkdtempSync(join(tmpdir(), 'fractus-agent-'));
  readonly clock = new ManualClock();
  readonly transport: InProcessTransport = createInProcessTransport();
  readonly compute = rpcHostClient(this.transport, computeContract);
  readonly metrics = createMetrics();
  readonly ctx = systemContext(`req-${randomUUID()}`);
  neighbours: INestApplicationContext;
  agent: RunningComputeAgent;
  driver: SimulatedDriver;
  private stop: (() => Promise<void>)[] = [];

  get conductor(): RecordingConductor {
    return this.neighbours.get(RecordingConductor);
  }
  get placement(): RecordingPlacement {
    return this.neighbours.get(RecordingPlacement);
  }
  get news(): RecordingNews {
    return this.neighbours.get(RecordingNews);
  }

  async open(): Promise<this> {
    this.neighbours = await NestFactory.createApplicationContext(Neighbours, { logger: false });
    return this;
  }

  /** Conductor, Placement and a scheduler begin to answer. */
  async serveNeighbours(): Promise<void> {
    const serving = await serveRpc(this.neighbours, this.transport, {
      contracts: [conductorContract, placementContract, schedulerNews],
      instance: 'neighbours',
    });
    this.stop.push(() => serving.close());
  }

  async startAgent(overrides: DeepPartial<ComputeAgentConfig> = {}): Promise<void> {
    const config = loadConfig<ComputeAgentConfig>(ComputeAgentConfig, {
      overrides: { stateDir: this.stateDir, hosts: ['a', 'b'], drainSeconds: 1, ...overrides },
    });
    this.driver = createSimulatedDriver({
      stateDir: this.stateDir,
      hosts: config.hosts,
      latency: NO_LATENCY,
      clock: this.clock,
    });
    this.agent = await startComputeAgent({
      config,
      driver: this.driver,
      transport: this.transport,
      clock: this.clock,
      logger: silentLogger(),
      metrics: this.metrics,
    });
  }

  async serving(): Promise<void> {
    await this.until(async () => (await this.agent.ready()).every((c) => c.ok));
  }

  async endAgent(how: 'close' | 'kill'): Promise<void> {
    let ended = false;
    const ending = this.agent[how]().finally(() => (ended = true));
    while (!ended) await this.clock.advance(100); // what hangs is waited for no longer than it should
    await ending;
    await this.driver.close();
  }

  async dispose(how: 'close' | 'kill' = 'close'): Promise<void> {
    if (this.agent) await this.endAgent(how);
    for (const stop of this.stop) await stop();
    await this.neighbours.close();
    await this.transport.close();
    rmSync(this.stateDir, { recursive: true });
  }

  ref(overrides: Partial<OperationRef> = {}): OperationRef {
    return {
      taskId: randomUUID(),
      serverId: randomUUID(),
      step: 'spawn',
      attempt: 1,
      fence: 1,
      host: 'a',
      silenceSeconds: 30,
      ...overrides,
    };
  }

  async build(ref: OperationRef, overrides: Partial<GuestSpec> = {}): Promise<void> {
    await this.compute
      .on(ref.host)
      .build(this.ctx, { operation: ref, guest: guestSpec({ serverId: ref.serverId, ...overrides }) });
  }
  /** From now on the transport takes no message of this pattern. */
  refuse(pattern: string): { times(): number; end(): void } {
    const cast = this.transport.cast.bind(this.transport);
    let refused = 0;
    const spy = jest.spyOn(this.transport, 'cast').mockImplementation(async (to, message) => {
      if (message.pattern !== pattern) return cast(to, message);
      refused++;
      throw unavailable('the broker is away');
    });
    return { times: () => refused, end: () => spy.mockRestore() };
  }

  /** A server with its guest running on host a. */
  async built(overrides: Partial<GuestSpec> = {}): Promise<string> {
    const ref = this.ref();
    await this.build(ref, overrides);
    await this.answered(ref);
    return ref.serverId;
  }
  async destroy(ref: OperationRef, forever = true): Promise<void> {
    await this.compute.on(ref.host).destroy(this.ctx, { operation: ref, forever });
  }

  /** The answers that conductor got for an operation. */
  answers(ref: OperationRef): OperationFinished[] {
    return this.conductor.finished.filter(
      ({ operation: o }) =>
        o.taskId === ref.taskId && o.step === ref.step && o.attempt === ref.attempt && o.host === ref.host,
    );
  }
  async answered(ref: OperationRef, times = 1): Promise<OperationFinished> {
    await this.until(() => this.answers(ref).length >= times);
    return this.answers(ref)[times - 1]!;
  }

  /** An operation that takes its time has begun, which it tells after a quarter of a second. */
  async underWay(): Promise<void> {
    await this.until(async () => (await this.clock.advance(50), this.conductor.progress.length > 0));
  }

  effects(serverId: string): string[] {
    return this.ledger()
      .filter((e) => e.serverId === serverId)
      .map((e) => e.effect);
  }
  ledger(): LedgerEntry[] {
    return readLedger(this.stateDir);
  }

  /** Turns of the event loop until it holds; never waits for time to pass. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 20_000; turn++) {
      if (await holds()) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    throw new Error(`it never came to hold: ${holds.toString()}`);
  }
}
