import { count, duration, instant, table, withoutPassword } from './text';

describe('what operators read', () => {
  it('stands in columns', () => {
    expect(table(['ID', 'NOTE'], [['1', 'a b'], ['100', '']])).toEqual(['ID   NOTE', '1    a b', '100']); // prettier-ignore
    expect(table(['ID'], [])).toEqual(['ID']);
  });

  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [1499, '1 s'],
    [59_600, '1 min'],
    [3_725_000, '1 h 2 min'],
    [90_061_000, '1 d 1 h'],
  ])('tells %d ms as %s', (ms, text) => expect(duration(ms)).toBe(text));

  it('tells instants with their distance', () => {
    const now = Date.parse('2027-01-15T08:00:00Z');
    expect(instant(now - 90_000, now)).toBe('2027-01-15 07:58:30Z (1 min 30 s ago)');
    expect(instant(now + 5_000, now)).toBe('2027-01-15 08:00:05Z (in 5 s)');
    expect([count(1, 'task'), count(2, 'task')]).toEqual(['1 task', '2 tasks']);
  });

  it('leaves passwords out', () => {
    expect(withoutPassword('mysql://u:p%40ss@h:3306/n')).toBe('mysql://u:***@h:3306/n');
    expect(withoutPassword('amqps://u:a:b@h/')).toBe('amqps://u:***@h/');
    expect(withoutPassword('sqlite:/x.db')).toBe('sqlite:/x.db');
  });
});
