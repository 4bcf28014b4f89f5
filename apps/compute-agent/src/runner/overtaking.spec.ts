import type { OperationRef } from '@fractus/rpc-contracts';
import type { Begun } from '../journal/journal';
import { overtakes } from './overtaking';

const begun = (operation: string, ref: Partial<OperationRef> = {}): Begun => ({
  operation,
  ref: { taskId: 't1', serverId: 's', step: operation, attempt: 1, fence: 1, host: 'a', silenceSeconds: 30, ...ref },
});

describe('overtaking', () => {
  const cases: [string, Begun, Begun, boolean][] = [
    ['a later lease: delete after build', begun('destroy', { taskId: 't2', fence: 2 }), begun('build'), true],
    ['the same lease: undo after a silent build', begun('destroy', { attempt: 2 }), begun('build'), true],
    ['a build on the next host', begun('build', { attempt: 2, host: 'b' }), begun('build'), true],
    ['a destroy on another host', begun('destroy', { host: 'b', taskId: 't2', fence: 2 }), begun('build'), false],
    ['one step that destroys on two hosts', begun('destroy', { host: 'b' }), begun('destroy'), false],
    ['a further attempt at a destroy', begun('destroy', { attempt: 2 }), begun('destroy'), true],
    ['a stray destroyed while its server is deleted', begun('destroy', { taskId: 't2' }), begun('destroy'), false],
    ['a destroy of a later lease', begun('destroy', { taskId: 't2', fence: 2 }), begun('destroy'), true],
    ['a power operation after another', begun('start', { taskId: 't2', fence: 2 }), begun('stop'), true],
  ];
  it.each(cases)('%s', (_name, newer, older, expected) => expect(overtakes(newer, older)).toBe(expected));
});
