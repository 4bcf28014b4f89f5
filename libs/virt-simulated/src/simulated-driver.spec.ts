import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POWER_STATES } from '@fractus/objects';
import { isStandardTrait } from '@fractus/os-traits';
import { guestSpec, ManualClock, settle, work, type GuestChange, type Progress } from '@fractus/virt';
import { doubleGuests, readLedger, STATE_FILE, type LedgerEntry } from './ledger';
import { NO_LATENCY, type SimulatedDriverOptions } from './options';
import { createSimulatedDriver, type SimulatedDriver } from './simulated-driver';

describe('simulated driver', () => {
  let stateDir: string;
  let clock: ManualClock;
  let driver: SimulatedDriver;

  const open = (options: Partial<SimulatedDriverOptions> = {}) =>
    (driver = createSimulatedDriver({ stateDir, hosts: ['a', 'b'], latency: NO_LATENCY, clock, ...options }));

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'fractus-sim-'));
    clock = new ManualClock();
  });
  afterEach(async () => {
    await driver.close();
    rmSync(stateDir, { recursive: true });
  });

  it('sets only traits that have a name', async () => {
    open();
    expect((await driver.traits('a')).present.filter((t) => !isStandardTrait(t))).toEqual([]);
  });

  it('gives hosts their capacity profiles in turn', async () => {
    open({ hosts: ['a', 'b', 'c'], capacity: ['small', { vcpus: 3, memoryMb: 100, diskGb: 0 }] });
    expect(await driver.hostState('c')).toMatchObject({ vcpus: 8 });
    expect(await driver.inventory('b')).toMatchObject({ VCPU: { total: 3 }, MEMORY_MB: { total: 100, reserved: 100 } });
    expect(await driver.inventory('b')).not.toHaveProperty('DISK_GB');
  });

  it('takes the time that its latency profile says', async () => {
    open({ latency: { spawn: 400 } });
    const spawning = driver.spawn('a', guestSpec(), work());
    await clock.advance(399);
    expect(await driver.guests('a')).toEqual([]);
    await clock.advance(1);
    await spawning;
    expect(await driver.guests('a')).toHaveLength(1);
  });

  it('fails a spawn as often as the metadata says, wherever it is tried and however often it is opened', async () => {
    open();
    const spec = guestSpec({ metadata: { 'sim:fail_spawn': '2' } });
    await expect(driver.spawn('a', spec, work())).rejects.toMatchObject({ code: 'driver.spawn', retryElsewhere: true });
    await driver.close();
    open();
    await expect(driver.spawn('b', spec, work())).rejects.toMatchObject({ code: 'driver.spawn' });
    await expect(driver.spawn('a', spec, work())).resolves.toMatchObject({ serverId: spec.serverId });
  });

  it('fails on the named hosts only, for good when told so', async () => {
    open();
    const spec = guestSpec({ metadata: { 'sim:fail_spawn_host': 'x, a', 'sim:fail_spawn_final': 'true' } });
    await expect(driver.spawn('a', spec, work())).rejects.toMatchObject({ retryElsewhere: false });
    await expect(driver.spawn('b', spec, work())).resolves.toBeDefined();
  });

  it('fails power operations on demand and leaves the guest as it was', async () => {
    open();
    const spec = guestSpec({ metadata: { 'sim:fail_stop': '1' } });
    await driver.spawn('a', spec, work());
    await expect(driver.stop('a', spec.serverId, 0, work())).rejects.toMatchObject({ code: 'driver.operation' });
    expect((await driver.guest('a', spec.serverId)).powerState).toBe(POWER_STATES.running);
    await expect(driver.stop('a', spec.serverId, 0, work())).resolves.toMatchObject({
      powerState: POWER_STATES.shutdown,
    });
  });

  it('refuses metadata that it cannot read instead of passing it over', async () => {
    open();
    await expect(driver.spawn('a', guestSpec({ metadata: { 'sim:fail_spawn': 'often' } }), work())).rejects.toThrow(
      /sim:fail_spawn must be a count/,
    );
  });

  it('delays a spawn and tells how far it is', async () => {
    open();
    const reports: Progress[] = [];
    const spawning = driver.spawn(
      'a',
      guestSpec({ metadata: { 'sim:delay_spawn': '20' } }),
      work({ progress: (p) => reports.push(p) }),
    );
    await clock.advance(10_000);
    expect(reports.at(-1)).toEqual({ percent: 50 });
    await clock.advance(10_000);
    await spawning;
  });

  it('says so when it stalls', async () => {
    open();
    const reports: Progress[] = [];
    const abort = new AbortController();
    const spec = guestSpec({ metadata: { 'sim:hang_spawn': 'stalled', 'sim:hang_spawn_times': '1' } });
    const spawning = driver.spawn('a', spec, work({ signal: abort.signal, progress: (p) => reports.push(p) }));
    await settle();
    expect(reports.at(-1)).toEqual({ stalled: true });
    abort.abort();
    await expect(spawning).rejects.toMatchObject({ code: 'driver.aborted' });
    await expect(driver.spawn('a', spec, work())).resolves.toBeDefined();
  });

  it('lets guests die in their time, also after it was opened anew, behind one timer', async () => {
    open();
    const specs = ['10', '20', '30'].map((s) => guestSpec({ metadata: { 'sim:crash_after': s } }));
    for (const spec of specs) await driver.spawn('a', spec, work());
    expect(clock.waiting).toBe(1);
    await clock.advance(10_000);
    await driver.close();
    open();
    const heard: GuestChange[] = [];
    driver.onGuestChange((c) => heard.push(c));
    expect((await driver.guest('a', specs[0]!.serverId)).powerState).toBe(POWER_STATES.crashed);
    await clock.advance(60_000);
    expect(heard.map((c) => c.serverId)).toEqual([specs[1]!.serverId, specs[2]!.serverId]);
    expect(clock.waiting).toBe(0);
  });

  it('lets a guest power itself off, and again after the next start', async () => {
    open();
    const spec = guestSpec({ metadata: { 'sim:shutdown_after': '5' } });
    await driver.spawn('a', spec, work());
    await clock.advance(5_000);
    expect((await driver.guest('a', spec.serverId)).powerState).toBe(POWER_STATES.shutdown);
    await driver.start('a', spec.serverId, work());
    await clock.advance(5_000);
    expect(driver.ledger({ serverId: spec.serverId }).map((e) => e.effect)).toEqual([
      'spawn',
      'shutdown',
      'start',
      'shutdown',
    ]);
  });

  it('fails by chance the same way for the same seed', async () => {
    const run = async () => {
      open({ faults: { spawn: 0.5 }, hostFaults: { b: { spawn: 0 } }, seed: 7 });
      const outcomes: boolean[] = [];
      for (let i = 0; i < 20; i++)
        outcomes.push(
          await driver.spawn('a', guestSpec(), work()).then(
            () => true,
            () => false,
          ),
        );
      await expect(driver.spawn('b', guestSpec(), work())).resolves.toBeDefined();
      await driver.close();
      return outcomes;
    };
    const first = await run();
    expect(new Set(first).size).toBe(2);
    expect(await run()).toEqual(first);
    open();
  });

  it('keeps no password on disk', async () => {
    open();
    await driver.spawn('a', guestSpec({ adminPassword: 'correct-horse' }), work());
    await driver.close();
    expect(readFileSync(join(stateDir, STATE_FILE), 'latin1')).not.toContain('correct-horse');
    open();
  });

  it('writes a ledger that others can read while it runs', async () => {
    open();
    const spec = guestSpec();
    await driver.spawn('a', spec, work({ fence: 3 }));
    await driver.destroy('a', spec.serverId, work({ fence: 4 }));
    expect(readLedger(stateDir, { serverId: spec.serverId })).toEqual([
      { seq: 1, at: clock.now(), host: 'a', serverId: spec.serverId, effect: 'spawn', fence: 3 },
      { seq: 2, at: clock.now(), host: 'a', serverId: spec.serverId, effect: 'destroy', fence: 4 },
    ]);
  });
});

describe('doubleGuests', () => {
  const entry = (seq: number, host: string, effect: string): LedgerEntry => ({
    seq,
    at: 0,
    host,
    serverId: 's',
    effect,
    fence: 1,
  });

  it('finds a server with guests on two hosts, and none where one follows the other', () => {
    expect(doubleGuests([entry(1, 'a', 'spawn'), entry(2, 'b', 'spawn'), entry(3, 'a', 'destroy')])).toEqual([
      { serverId: 's', hosts: ['a', 'b'], seq: 2 },
    ]);
    expect(doubleGuests([entry(1, 'a', 'spawn'), entry(2, 'a', 'destroy'), entry(3, 'b', 'spawn')])).toEqual([]);
  });
});
