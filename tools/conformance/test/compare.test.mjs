import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparable } from '../lib/compare.mjs';
import { furnish, reads, VERSIONS, writes } from '../lib/walk.mjs';

const asked = { method: 'GET', path: '/traits', version: '1.20' };
const answer = (more) => ({ status: 200, headers: { 'openstack-api-version': 'placement 1.20' }, body: {}, ...more });
const of = (more, request = asked, url = 'http://a') => comparable(request, answer(more), url);

describe('two answers', () => {
  it('agree whatever the order of lists, the request ids and the hosts in links', () => {
    const here = of({
      headers: { location: 'http://a/x', allow: 'GET, PUT' },
      body: { list: [1, 2], request_id: 'req-1' },
    });
    const upstream = of(
      { headers: { location: 'http://b/x', allow: 'PUT, GET' }, body: { request_id: 'req-2', list: [2, 1] } },
      asked,
      'http://b',
    );
    assert.deepEqual(here, upstream);
  });

  it('agree where upstream says its sentence with others around it', () => {
    const told = (detail) => of({ status: 400, body: { errors: [{ detail }] } }).body.errors[0].detail;
    const preamble =
      'The server could not comply with the request since it is either malformed or otherwise incorrect.\n\n ';
    assert.equal(told(`${preamble}No such trait X  `), told('No such trait X'));
    assert.equal(
      told("JSON does not validate: 1 is not of type 'string'\n\nFailed validating 'type' in schema: {}"),
      told("JSON does not validate: 1 is not of type 'string'"),
    );
  });

  it('differ in status, headers, Last-Modified, members and words', () => {
    const one = of({ body: { errors: [{ detail: 'this' }] } });
    for (const other of [
      { status: 201 },
      { headers: {} },
      { headers: { 'openstack-api-version': 'placement 1.20', 'last-modified': 'now' } },
      { body: { errors: [{ detail: 'that' }] } },
      { body: { errors: [{ detail: 'this', code: 'x' }] } },
    ])
      assert.notDeepEqual(of({ body: { errors: [{ detail: 'this' }] }, ...other }), one);
  });
});

describe('the walk', () => {
  it('asks every path, and changes what can be changed, in every version', () => {
    assert.equal(VERSIONS.length, 40);
    const all = [...furnish(), ...VERSIONS.flatMap((version, n) => [...reads(version), ...writes(version, n)])];
    const template = ({ method, path }) =>
      `${method} ${path
        .replace(/\?.*/, '')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{uuid}')
        .replace(/\/(VCPU|VGPU|DISK_GB|HW_\w+|BAD|CUSTOM_\w+)$/, '/{name}')}`;
    const known = new Set(all.map(template));
    for (const operation of [
      'GET /',
      'POST /resource_providers',
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /resource_providers/{uuid}`),
      ...['GET', 'POST', 'PUT', 'DELETE'].map((m) => `${m} /resource_providers/{uuid}/inventories`),
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /resource_providers/{uuid}/inventories/{name}`),
      'GET /resource_providers/{uuid}/usages',
      ...['GET', 'PUT'].map((m) => `${m} /resource_providers/{uuid}/aggregates`),
      'GET /resource_providers/{uuid}/allocations',
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /resource_providers/{uuid}/traits`),
      ...['GET', 'POST'].map((m) => `${m} /resource_classes`),
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /resource_classes/{name}`),
      'GET /traits',
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /traits/{name}`),
      'POST /allocations',
      ...['GET', 'PUT', 'DELETE'].map((m) => `${m} /allocations/{uuid}`),
      'GET /allocation_candidates',
      'GET /usages',
      'POST /reshaper',
    ])
      assert.ok(known.has(operation), operation);
  });
});
