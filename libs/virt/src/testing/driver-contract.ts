import { randomUUID } from 'node:crypto';
import { POWER_STATES, type PowerState, type PowerStateName } from '@fractus/objects';
import { CAPABILITIES } from '@fractus/hypervisors-capabilities';
import type { GuestChange, Guest, GuestSpec, Progress, VirtDriver } from '../driver';
import { isDriverError } from '../errors';
import { POWER_OPERATIONS, POWER_RULES, type PowerOperation, type PowerRule } from '../power';
import { guestSpec, work } from './guest-spec';

/** A driver with what a test needs to reach behind it. */
export interface DriverUnderTest {
  readonly driver: VirtDriver;
  /** Closes the driver and opens it again on the same hypervisor, as a restart of the agent does. */
  reopen(): Promise<VirtDriver>;
  /** Makes a running guest die by itself. */
  crash(driver: VirtDriver, host: string, serverId: string): Promise<void>;
  /** Side effects on the hypervisor in the order they took place: `spawn`, `destroy`, … */
  effects(serverId: string): Promise<readonly string[]>;
  /** Changes a spec so that its spawn fails. */
  failing(spec: GuestSpec): GuestSpec;
  /** Changes a spec so that its spawn does not end before it is aborted. */
  hanging(spec: GuestSpec): GuestSpec;
  dispose(): Promise<void>;
}

export type MakeDriver = () => Promise<DriverUnderTest>;

/** What every driver must pass. Call it in a spec file of the driver's library; each test gets a driver of its own. */
export function describeDriverContract(name: string, make: MakeDriver): void {
  describe(`driver contract: ${name}`, () => {
    const bench = new Bench(make);
    beforeEach(() => bench.open());
    afterEach(() => bench.close());

    describe('hosts', () => describeHosts(bench));
    describe('guests', () => describeGuests(bench));
    describe('power', () => describePower(bench));
    describe('what guests show', () => describeViews(bench));
  });
}

class Bench {
  private current: DriverUnderTest | null = null;
  driver: VirtDriver;
  host: string;

  constructor(private readonly make: MakeDriver) {}

  get under(): DriverUnderTest {
    if (!this.current) throw new Error('no driver is open');
    return this.current;
  }

  async open(): Promise<void> {
    this.current = await this.make();
    this.driver = this.current.driver;
    const [first] = this.driver.nodes();
    if (!first) throw new Error('the driver under test offers no host');
    this.host = first.host;
  }

  async close(): Promise<void> {
    await this.current?.dispose();
    this.current = null;
  }

  async spawned(): Promise<string> {
    const spec = guestSpec();
    await this.driver.spawn(this.host, spec, work());
    return spec.serverId;
  }

  run(operation: PowerOperation, serverId: string): Promise<Guest> {
    const { driver, host } = this;
    switch (operation) {
      case 'start':
      case 'pause':
      case 'unpause':
      case 'suspend':
      case 'resume':
        return driver[operation](host, serverId, work());
      case 'stop':
        return driver.stop(host, serverId, 0, work());
      case 'reboot-soft':
        return driver.reboot(host, serverId, 'SOFT', work());
      case 'reboot-hard':
        return driver.reboot(host, serverId, 'HARD', work());
    }
  }

  /** A guest in the given state. */
  async guestIn(state: PowerStateName): Promise<string> {
    const serverId = await this.spawned();
    if (state === 'paused') await this.run('pause', serverId);
    if (state === 'suspended') await this.run('suspend', serverId);
    if (state === 'shutdown') await this.run('stop', serverId);
    if (state === 'crashed') await this.under.crash(this.driver, this.host, serverId);
    return serverId;
  }

  async stateOf(serverId: string): Promise<PowerState> {
    return (await this.driver.guest(this.host, serverId)).powerState;
  }
}

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const outcome = await attempt.then(
    () => 'no error',
    (e: unknown) => e,
  );
  return isDriverError(outcome) ? outcome.code : String(outcome);
}

function describeHosts(bench: Bench): void {
  it('states every capability of every host', () => {
    for (const { host } of bench.driver.nodes())
      expect(Object.keys(bench.driver.capabilities(host)).sort()).toEqual([...CAPABILITIES].sort());
  });

  it('offers inventories that Placement takes', async () => {
    const inventories = await bench.driver.inventory(bench.host);
    expect(Object.keys(inventories)).not.toHaveLength(0);
    for (const i of Object.values(inventories)) {
      expect(i.total).toBeGreaterThan(0);
      expect(i.reserved).toBeGreaterThanOrEqual(0);
      expect(i.minUnit).toBeGreaterThan(0);
      expect(i.maxUnit).toBeLessThanOrEqual(i.total);
      expect(i.stepSize).toBeGreaterThan(0);
      expect(i.initialRatio).toBeGreaterThan(0);
    }
  });

  it('owns every trait that it sets', async () => {
    const { present, owned } = await bench.driver.traits(bench.host);
    expect(present.filter((t) => !owned.includes(t))).toEqual([]);
  });

  it('counts what guests use', async () => {
    const before = await bench.driver.hostState(bench.host);
    const serverId = await bench.spawned();
    const during = await bench.driver.hostState(bench.host);
    expect(during.vcpusUsed - before.vcpusUsed).toBe(1);
    expect(during.memoryMbUsed - before.memoryMbUsed).toBe(64);
    expect(during.runningGuests - before.runningGuests).toBe(1);
    expect(() => JSON.parse(during.cpuInfo) as unknown).not.toThrow();
    await bench.driver.destroy(bench.host, serverId, work());
    expect(await bench.driver.hostState(bench.host)).toMatchObject({
      vcpusUsed: before.vcpusUsed,
      runningGuests: before.runningGuests,
    });
  });

  it('tells its uptime', async () => {
    expect(await bench.driver.uptime(bench.host)).toMatch(/ up .*load average/);
  });

  it('refuses a host that it does not serve', async () => {
    expect(await codeOf(bench.driver.hostState('no-such-host'))).toBe('host.not_found');
    expect(await codeOf(bench.driver.spawn('no-such-host', guestSpec(), work()))).toBe('host.not_found');
  });
}

function describeGuests(bench: Bench): void {
  it('spawns a guest that runs, is listed, and bears the fence it was made with', async () => {
    const spec = guestSpec();
    const made = await bench.driver.spawn(bench.host, spec, work({ fence: 7 }));
    expect(made).toMatchObject({
      serverId: spec.serverId,
      powerState: POWER_STATES.running,
      fence: 7,
      vcpus: 1,
      memoryMb: 64,
    });
    expect(await bench.driver.guests(bench.host)).toEqual([made]);
  });

  it('makes one guest however often it is asked to spawn it', async () => {
    const spec = guestSpec();
    const first = await bench.driver.spawn(bench.host, spec, work());
    const second = await bench.driver.spawn(bench.host, spec, work());
    expect(second.createdAt).toBe(first.createdAt);
    expect(await bench.driver.guests(bench.host)).toHaveLength(1);
    expect((await bench.under.effects(spec.serverId)).filter((e) => e === 'spawn')).toHaveLength(1);
  });

  it('destroys a guest once, and is content when it is gone or never was', async () => {
    const serverId = await bench.spawned();
    await bench.driver.destroy(bench.host, serverId, work());
    await bench.driver.destroy(bench.host, serverId, work());
    await bench.driver.destroy(bench.host, randomUUID(), work());
    expect(await bench.driver.guests(bench.host)).toEqual([]);
    expect(await bench.under.effects(serverId)).toEqual(['spawn', 'destroy']);
    expect(await codeOf(bench.driver.guest(bench.host, serverId))).toBe('guest.not_found');
  });

  it('destroys a guest in any state', async () => {
    for (const state of ['paused', 'suspended', 'shutdown', 'crashed'] as const) {
      const serverId = await bench.guestIn(state);
      await bench.driver.destroy(bench.host, serverId, work());
    }
    expect(await bench.driver.guests(bench.host)).toEqual([]);
  });

  it('finds its guests again after it was opened anew', async () => {
    const running = await bench.spawned();
    const stopped = await bench.guestIn('shutdown');
    const before = await bench.driver.guests(bench.host);
    bench.driver = await bench.under.reopen();
    const after = await bench.driver.guests(bench.host);
    expect(sorted(after)).toEqual(sorted(before));
    expect(await bench.stateOf(running)).toBe(POWER_STATES.running);
    expect(await bench.stateOf(stopped)).toBe(POWER_STATES.shutdown);
    expect(await codeOf(bench.run('start', stopped))).toBe('no error');
  });

  it('leaves nothing behind when a spawn fails, and says whether to try elsewhere', async () => {
    const spec = bench.under.failing(guestSpec());
    const error: unknown = await bench.driver.spawn(bench.host, spec, work()).catch((e: unknown) => e);
    expect(isDriverError(error, 'driver.spawn')).toBe(true);
    expect(error).toMatchObject({ retryElsewhere: true });
    expect(await bench.driver.guests(bench.host)).toEqual([]);
  });

  it('reports progress while it spawns', async () => {
    const reports: Progress[] = [];
    await bench.driver.spawn(bench.host, guestSpec(), work({ progress: (p) => reports.push(p) }));
    expect(reports.map((r) => r.phase)).toContain('spawning');
    const percents = reports.flatMap((r) => (r.percent === undefined ? [] : [r.percent]));
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
  });

  it('gives a spawn up when it is aborted, and leaves nothing behind', async () => {
    const abort = new AbortController();
    const spec = bench.under.hanging(guestSpec());
    const attempt = bench.driver.spawn(bench.host, spec, work({ signal: abort.signal, progress: () => abort.abort() }));
    expect(await codeOf(attempt)).toBe('driver.aborted');
    expect(await bench.driver.guests(bench.host)).toEqual([]);
  });
}

function sorted(guests: readonly Guest[]): Guest[] {
  return [...guests].sort((a, b) => a.serverId.localeCompare(b.serverId));
}

function describePower(bench: Bench): void {
  const states: PowerStateName[] = ['running', 'paused', 'shutdown', 'crashed', 'suspended'];
  const cases = POWER_OPERATIONS.flatMap((operation) => states.map((state) => [operation, state] as const));

  it.each(cases)('%s of a guest that is %s', async (operation, state) => {
    const serverId = await bench.guestIn(state);
    const before = (await bench.under.effects(serverId)).length;
    const rule: PowerRule = POWER_RULES[operation];
    const done = await codeOf(bench.run(operation, serverId));
    const effects = (await bench.under.effects(serverId)).length - before;
    if (rule.from.includes(state)) {
      expect([done, await bench.stateOf(serverId)]).toEqual(['no error', POWER_STATES[rule.to]]);
      expect(effects).toBeGreaterThan(0);
      return;
    }
    const already = rule.already.includes(state);
    expect([done, await bench.stateOf(serverId), effects]).toEqual([
      already ? 'no error' : 'driver.power_state',
      POWER_STATES[state],
      0,
    ]);
  });

  it.each([...POWER_OPERATIONS])('%s of a guest that is not there', async (operation) => {
    expect(await codeOf(bench.run(operation, randomUUID()))).toBe('guest.not_found');
  });

  it('tells who listens of a guest that died by itself, and not of one that was stopped', async () => {
    const heard: GuestChange[] = [];
    const end = bench.driver.onGuestChange((c) => heard.push(c));
    const serverId = await bench.spawned();
    await bench.guestIn('shutdown');
    expect(heard).toEqual([]);
    await bench.under.crash(bench.driver, bench.host, serverId);
    expect(heard).toEqual([
      expect.objectContaining({ host: bench.host, serverId, fence: 1, powerState: POWER_STATES.crashed }),
    ]);
    end();
    await bench.under.crash(bench.driver, bench.host, await bench.spawned());
    expect(heard).toHaveLength(1);
  });
}

function describeViews(bench: Bench): void {
  it('shows the console, whole or its last lines', async () => {
    const serverId = await bench.spawned();
    const whole = await bench.driver.consoleOutput(bench.host, serverId);
    expect(whole.length).toBeGreaterThan(0);
    const tail = await bench.driver.consoleOutput(bench.host, serverId, 2);
    expect(tail.trimEnd().split('\n')).toHaveLength(2);
    expect(whole.endsWith(tail)).toBe(true);
    expect(await bench.driver.consoleOutput(bench.host, serverId, 0)).toBe('');
    expect(await codeOf(bench.driver.consoleOutput(bench.host, randomUUID()))).toBe('guest.not_found');
  });

  it('counts what a guest does', async () => {
    const serverId = await bench.spawned();
    const d = await bench.driver.diagnostics(bench.host, serverId);
    expect(d).toMatchObject({ state: 'running', driver: bench.driver.name, memory: { maximum: 64 } });
    expect(d.cpus).toHaveLength(1);
    expect(d.nics.map((n) => n.macAddress)).toEqual(['fa:16:3e:00:00:01']);
    expect(await codeOf(bench.driver.diagnostics(bench.host, randomUUID()))).toBe('guest.not_found');
  });

  it('has no boot time while it is down, and a new one after a start', async () => {
    const serverId = await bench.guestIn('shutdown');
    expect((await bench.driver.guest(bench.host, serverId)).bootedAt).toBeNull();
    await bench.run('start', serverId);
    expect((await bench.driver.guest(bench.host, serverId)).bootedAt).not.toBeNull();
  });
}
