import fc from 'fast-check';
import { isFractusError } from '@fractus/objects';
import { negotiate, versionHeaders } from './negotiate';
import type { ApiVersions } from './negotiate';

const nova: ApiVersions = {
  service: 'compute',
  min: '2.1',
  max: '2.104',
  legacyHeader: 'X-OpenStack-Nova-API-Version',
  dialect: 'nova',
};
const placement: ApiVersions = { service: 'placement', min: '1.0', max: '1.39', dialect: 'placement' };

function outcome(api: ApiVersions, headers: Record<string, string>): string {
  try {
    return negotiate(api, headers);
  } catch (e) {
    return isFractusError(e) ? e.kind : 'bug';
  }
}

describe('negotiate', () => {
  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, '2.1'],
    ['the standard header', { 'openstack-api-version': 'compute 2.37' }, '2.37'],
    ['the own header', { 'x-openstack-nova-api-version': '2.19' }, '2.19'],
    [
      'both: the standard one wins',
      { 'openstack-api-version': 'compute 2.37', 'x-openstack-nova-api-version': '2.19' },
      '2.37',
    ],
    ['another service’s version', { 'openstack-api-version': 'volume 3.5' }, '2.1'],
    [
      'another service’s version beside the own header',
      { 'openstack-api-version': 'volume 3.5', 'x-openstack-nova-api-version': '2.19' },
      '2.19',
    ],
    ['several services', { 'openstack-api-version': 'volume 3.5, compute 2.40 , identity 3.1' }, '2.40'],
    ['one service twice: the last wins', { 'openstack-api-version': 'compute 2.40, COMPUTE 2.41' }, '2.41'],
    ['latest', { 'openstack-api-version': 'compute latest' }, '2.104'],
    ['the own header with a list', { 'x-openstack-nova-api-version': '2.1,2.19' }, '2.19'],
    ['too high', { 'x-openstack-nova-api-version': '2.105' }, 'not_acceptable'],
    ['far too high', { 'x-openstack-nova-api-version': '2.99999999999999999999' }, 'not_acceptable'],
    ['too low', { 'x-openstack-nova-api-version': '2.0' }, 'not_acceptable'],
    ['another major', { 'x-openstack-nova-api-version': '3.1' }, 'not_acceptable'],
    ['no version', { 'x-openstack-nova-api-version': 'abc' }, 'invalid'],
    ['leading zero', { 'x-openstack-nova-api-version': '2.01' }, 'invalid'],
    ['empty', { 'x-openstack-nova-api-version': '' }, 'invalid'],
    ['LATEST in capitals', { 'x-openstack-nova-api-version': 'LATEST' }, 'invalid'],
  ])('nova, %s', (_, headers, expected) => expect(outcome(nova, headers)).toBe(expected));

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, '1.0'],
    ['a version', { 'openstack-api-version': 'placement 1.14' }, '1.14'],
    ['latest', { 'openstack-api-version': 'placement latest' }, '1.39'],
    ['too high', { 'openstack-api-version': 'placement 1.40' }, 'not_acceptable'],
    ['another major', { 'openstack-api-version': 'placement 2.0' }, 'not_acceptable'],
    ['no version', { 'openstack-api-version': 'placement pony' }, 'invalid'],
    ['Python’s way of writing it', { 'openstack-api-version': 'placement 1.014' }, '1.14'],
    ['another service', { 'openstack-api-version': 'compute 2.1' }, '1.0'],
  ])('placement, %s', (_, headers, expected) => expect(outcome(placement, headers)).toBe(expected));

  it('answers every text with a version in range, 400 or 406, and every range in its bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,4}\.\d{1,6}$/)), (text) => {
        const got = outcome(nova, { 'openstack-api-version': `compute ${text}`, 'x-openstack-nova-api-version': text });
        expect(got === 'invalid' || got === 'not_acceptable' || /^2\.\d{1,3}$/.test(got)).toBe(true);
      }),
    );
  });

  it('names the range when it refuses', () => {
    expect(() => negotiate(nova, { 'openstack-api-version': 'compute 2.999' })).toThrow(
      'Minimum is 2.1 and maximum is 2.104',
    );
    try {
      negotiate(placement, { 'openstack-api-version': 'placement 9.9' });
    } catch (e) {
      expect(isFractusError(e) && e.details).toEqual({ min_version: '1.0', max_version: '1.39' });
    }
  });

  it('echoes the version in every header of the API', () => {
    expect(versionHeaders(nova, '2.3')).toEqual({
      'OpenStack-API-Version': 'compute 2.3',
      'X-OpenStack-Nova-API-Version': '2.3',
      vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
    });
    expect(versionHeaders(placement, '1.3')).toEqual({
      'OpenStack-API-Version': 'placement 1.3',
      vary: 'OpenStack-API-Version',
    });
  });
});
