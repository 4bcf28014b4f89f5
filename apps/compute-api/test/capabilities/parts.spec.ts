import { Operation } from '@fractus/microversions';
import { entityTag, matches } from '../../src/api/capabilities/entity-tag';
import { versionReason } from '../../src/api/capabilities/server-capabilities.controller';

describe('the tag of an answer', () => {
  it('is of what it says, not of when', () => {
    const tag = entityTag({ a: 1, evaluated_at: 'now' });
    expect(entityTag({ a: 1, evaluated_at: 'then' })).toBe(tag);
    expect(entityTag({ a: 2, evaluated_at: 'now' })).not.toBe(tag);
  });

  it.each([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['"b,a"', false],
    ['*', true],
    ['a', false],
    ['', false],
  ])('%s', (header, known) => expect(matches(header, '"a"')).toBe(known));
});

describe('an action outside of its microversions', () => {
  const operations = [
    new Operation('POST /servers/{server_id}/action dance', { since: '2.17', until: '2.43', policy: null }),
  ];
  it.each([
    ['2.16', { code: 'microversion', have: '2.16', need: 'from 2.17 until 2.43', min: '2.17', max: '2.43' }],
    ['2.17', null],
    ['2.43', null],
    ['2.44', { code: 'microversion', have: '2.44' }],
  ])('in %s', (version, reason) => {
    const found = versionReason('dance', version, operations);
    if (reason) expect(found).toMatchObject(reason);
    else expect(found).toBeNull();
  });
});
