import { missingLately, roomOf, type HostNow } from './index';

const inventory = { total: 100, reserved: 0, allocationRatio: 1, minUnit: 1, maxUnit: 50, stepSize: 1 };
const now: HostNow = {
  host: 'h1',
  traits: new Set(['COMPUTE_NODE']),
  rooms: { DISK_GB: roomOf(inventory, 40), VCPU: roomOf(inventory, 0) },
};
const placement = (check: string, detail: string): object => ({ stage: 'placement', check, detail, in: 3, out: 0 });
const attempt = (startedAt: number, stages: object[], hosts: object[] = []) => ({
  startedAt,
  report: { stages, hosts },
});

describe('what was missing lately', () => {
  it('is counted per attempt, most wanted first', () => {
    const filter = { host: 'h1', stage: 'filter', by: 'ComputeFilter', code: 'host.down', have: false, need: true };
    const attempts = [
      attempt(30, [placement('required', 'CUSTOM_GOLD'), placement('resource', 'DISK_GB:60')]),
      attempt(20, [placement('root_required', 'CUSTOM_GOLD'), placement('resource', 'DISK_GB:50')]),
      attempt(10, [placement('resource', 'CUSTOM_FPGA:1'), placement('required', 'COMPUTE_NODE')], [filter]),
    ];
    expect(missingLately(attempts, now)).toEqual([
      { code: 'trait.missing', trait: 'CUSTOM_GOLD', need: 'CUSTOM_GOLD', have: null, count: 2, lastAt: 30 },
      { code: 'host.down', have: false, need: true, count: 1, lastAt: 10 },
      { code: 'resource.missing', resourceClass: 'CUSTOM_FPGA', have: null, need: 1, count: 1, lastAt: 10 },
      { code: 'resource.missing', resourceClass: 'DISK_GB', have: 50, need: 60, count: 1, lastAt: 30 },
    ]);
  });

  it('is only what reports say of the host where Placement is silent', () => {
    const other = { host: 'h2', stage: 'filter', code: 'host.down' };
    const weighed = { host: 'h1', stage: 'weigher', code: 'weight.lower' };
    const silent = { host: 'h1', traits: null, rooms: null };
    expect(missingLately([attempt(1, [placement('required', 'CUSTOM_GOLD')], [other, weighed])], silent)).toEqual([]);
  });

  it('is counted once where the attempt and the host’s state both tell of it', () => {
    const of = (by: string, code: string, have: unknown, need: unknown) => ({ host: 'h1', stage: 'placement', by, code, have, need }); // prettier-ignore
    const hosts = [
      of('required CUSTOM_GOLD', 'placement.required', 'without CUSTOM_GOLD', 'CUSTOM_GOLD'),
      of('resource DISK_GB:60', 'placement.resource.used', 20, 60),
      of('member_of a', 'placement.member_of', 'other aggregates', 'a'),
    ];
    const stages = [placement('required', 'CUSTOM_GOLD'), placement('resource', 'DISK_GB:60')];
    expect(missingLately([attempt(1, stages, hosts)], now).map((m) => [m.code, m.count])).toEqual([
      ['placement.member_of', 1],
      ['resource.missing', 1],
      ['trait.missing', 1],
    ]);
    const silent = { host: 'h1', traits: null, rooms: null };
    expect(missingLately([attempt(1, stages, hosts)], silent)).toContainEqual(
      { code: 'resource.missing', resourceClass: 'DISK_GB', have: 20, need: 60, count: 1, lastAt: 1 }, // prettier-ignore
    );
  });

  it('passes over what it does not understand', () => {
    const odd = [null, 7, 'x', {}, { stages: 7, hosts: [null, { host: 'h1' }] }, { stages: [{ stage: 'placement' }] }];
    expect(
      missingLately(
        odd.map((report) => ({ startedAt: 1, report })),
        now,
      ),
    ).toEqual([]);
  });
});
