import type { CandidateOutline } from '@fractus/rpc-contracts';
import { offeredBy } from '../src/select/offered';

describe('an outline of candidates', () => {
  const outline: CandidateOutline = {
    providers: ['root-a', 'root-b', 'device-a', 'disk'],
    demands: [{ VCPU: 2 }, { FPGA: 1 }, { DISK_GB: 5 }],
    candidates: [
      [0, 0, 0, 2, 1],
      [1, 1, 0, 3, 2],
    ],
    room: { VCPU: [6, 8], MEMORY_MB: [100, null] },
  };
  const answer = { candidates: [], summaries: {}, stages: [], outline };

  it('is read as what it stands for', () => {
    const offered = offeredBy(answer);
    expect(offered.candidates.map((c) => [c.rootId, c.allocations])).toEqual([
      ['root-a', { 'root-a': { resources: { VCPU: 2 } }, 'device-a': { resources: { FPGA: 1 } } }],
      ['root-b', { 'root-b': { resources: { VCPU: 2 } }, disk: { resources: { DISK_GB: 5 } } }],
    ]);
    expect(offered.roomOf('root-a', 7)).toEqual({ asOf: 7, vcpus: 6, memoryMb: 100, diskGb: undefined });
    expect(offered.roomOf('root-b', 7)).toEqual({ asOf: 7, vcpus: 8, memoryMb: undefined, diskGb: undefined });
    expect(offered.roomOf('root-c', 7)).toEqual({ asOf: 7 });
  });

  it('is refused where it names a place that is not there', () => {
    const read = (line: number[]): unknown =>
      offeredBy({ ...answer, outline: { ...outline, candidates: [line] } }).candidates.map((c) => c.allocations);
    for (const line of [[], [4, 0, 0], [0, 9, 0], [0, 0, 3], [0, 0], [-1, 0, 0]])
      expect(() => read(line)).toThrow(expect.objectContaining({ kind: 'internal', code: 'rpc.answer' }) as Error);
  });
});
