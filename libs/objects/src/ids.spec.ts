import type { ProjectId, ServerId } from './ids';

const ofProject = (id: ProjectId): string => id;

describe('branded ids', () => {
  it('are checked by the compiler, and are strings', () => {
    const server: ServerId = 's1';
    const project: ProjectId = 'p1';
    expect(ofProject(project)).toBe('p1');
    expect(ofProject('plain')).toBe('plain');
    // @ts-expect-error -- a server's id where a project's is wanted
    expect(ofProject(server)).toBe('s1');
  });
});
