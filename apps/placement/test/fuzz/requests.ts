/** Whole requests as bytes: structured ones with parts out of order, and bytes that are changed with no regard to HTTP. */
import * as fc from 'fast-check';
import { bodyFor } from './bodies';
import { CLASSES, mostly, nastyText, TRAITS, UUIDS } from './values';

const CANDIDATES = 'resources required member_of in_tree limit group_policy same_subtree root_required';
/** What each path takes. Most requests ask in its own terms, so that they reach what lies behind the door. */
const PATHS: Readonly<Record<string, readonly [methods: string, parameters?: string]>> = {
  '/': ['GET'],
  '/resource_providers': ['GET POST POST POST', 'name uuid member_of resources in_tree required'],
  '/resource_providers/{uuid}': ['GET GET PUT PUT PUT PUT DELETE'],
  '/resource_providers/{uuid}/inventories': ['GET POST PUT PUT DELETE'],
  '/resource_providers/{uuid}/inventories/{class}': ['GET PUT DELETE'],
  '/resource_providers/{uuid}/usages': ['GET'],
  '/resource_providers/{uuid}/aggregates': ['GET PUT PUT'],
  '/resource_providers/{uuid}/allocations': ['GET'],
  '/resource_providers/{uuid}/traits': ['GET PUT PUT DELETE'],
  '/resource_classes': ['GET POST'],
  '/resource_classes/{class}': ['GET PUT DELETE'],
  '/traits': ['GET', 'name associated'],
  '/traits/{trait}': ['GET PUT DELETE'],
  '/allocations': ['POST'],
  '/allocations/{consumer}': ['GET PUT PUT DELETE'],
  '/allocation_candidates': ['GET', CANDIDATES],
  '/allocation_candidates/explain': ['GET', CANDIDATES],
  '/usages': ['GET', 'project_id user_id consumer_type'],
  '/reshaper': ['POST'],
};

// by way of bytes: half a surrogate pair cannot be encoded
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const uuid = mostly(UUIDS).map(encoded);
const segment: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid,
  consumer: uuid,
  class: mostly(CLASSES).map(encoded),
  trait: mostly(TRAITS).map(encoded),
};

function pathOf(template: string): fc.Arbitrary<string> {
  const parts = template
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') && segment[part.slice(1, -1)]) || fc.constant(part));
  return fc.oneof(
    { weight: 12, arbitrary: fc.tuple(...parts).map((p) => p.join('')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/nothing', '//', '/resource_providers/', '/%', '/%ff', '*', '/a/../traits'),
    },
  );
}

const resources = fc
  .array(fc.tuple(mostly(CLASSES, 20), mostly(['1', '2', '4', '0', '-1']), fc.constantFrom(':', ':', ':', '=', '')), {
    maxLength: 3,
  })
  .map((list) => list.map(([rc, n, colon]) => `${rc}${colon}${n}`).join(','));
const traits = fc
  .tuple(fc.constantFrom('', '!', 'in:', '!in:', '!!'), fc.array(mostly(TRAITS, 20), { maxLength: 3 }))
  .map(([mark, list]) => mark + list.join(','));
const uuids = fc
  .tuple(fc.constantFrom('', '!', 'in:', '!in:'), fc.array(mostly(UUIDS, 20), { maxLength: 3 }))
  .map(([mark, list]) => mark + list.join(','));
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  resources,
  required: traits,
  root_required: traits,
  member_of: uuids,
  in_tree: mostly(UUIDS),
  uuid: mostly(UUIDS),
  limit: mostly(['1', '10', '0', '99999999999999999999', '1.5']),
  group_policy: mostly(['none', 'isolate']),
  same_subtree: fc.constantFrom('', '_A', '_A,_B', '_A,_A', 'x'),
  name: mostly(['a', 'in:CUSTOM_T', 'startswith:CUSTOM', 'contains:x']),
  associated: mostly(['true', 'false', 'TRUE']),
  project_id: mostly(['p1', 'p2']),
  user_id: mostly(['u1']),
  consumer_type: mostly(['INSTANCE', 'all', 'unknown']),
};
const PER_GROUP = new Set(['resources', 'required', 'member_of', 'in_tree']);
const parameter = (names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom('', '', '', '', '1', '2', '_A', '_B', '-', '\u00e9'))
    .chain(([name, suffix]) =>
      (VALUES[name] ?? nastyText).map(
        (value) => `${encoded(name + (PER_GROUP.has(name) ? suffix : ''))}=${encoded(value)}`,
      ),
    );
const BROKEN_QUERIES = ['a', '=', '%', '%ff=%00', '&', '__proto__=1', '?', 'resources=VCPU:1&resources=VCPU:1'];
function queryOf(own: readonly string[]): fc.Arbitrary<string> {
  const any = parameter(Object.keys(VALUES));
  const one = fc.oneof(
    { weight: 20, arbitrary: own.length > 0 ? parameter(own) : fc.constant('') },
    { weight: 1, arbitrary: any },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_QUERIES) },
  );
  const some = fc.array(one, { minLength: 1, maxLength: 4 }).map((list) => `?${list.join('&')}`);
  return fc.oneof(
    { weight: own.length > 0 ? 1 : 12, arbitrary: fc.constant('') },
    { weight: own.length > 0 ? 8 : 1, arbitrary: some },
  );
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'CONNECT'];
const methodOf = (own: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...own.split(' ')) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );
const version = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 39 }).map((n) => `placement 1.${n}`) },
  { weight: 8, arbitrary: fc.constant('placement latest') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'placement',
      'placement 1.40',
      'placement 1',
      'compute 2.1',
      'placement 1.1,placement 1.2',
      '1.5',
      '\u00ff',
      '',
    ),
  },
);
const CONTENT_TYPES = ['application/json; charset=utf-8', 'text/plain', '', ';', 'APPLICATION/JSON'];
const mostlyOf = (usual: string, odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
const ACCEPTS = ['application/json', '*/*', 'text/html', 'text/plain', '', ';q=', 'application/json;q=0'];
const ODD_HEADERS = [
  ['Expect', '100-continue'],
  ['Expect', 'wonders'],
  ['Connection', 'upgrade'],
  ['Upgrade', 'websocket'],
  ['Content-Encoding', 'gzip'],
  ['Origin', 'http://elsewhere.example.com'],
  ['Host', ''],
  ['Host', 'a b'],
  ['X-Forwarded-Host', '\u0001'],
  ['X-Roles', ','],
  ['X-Roles', 'reader'],
  ['OpenStack-System-Scope', 'all'],
  ['X-Auth-Token', 'other'],
  ['X-OpenStack-Request-ID', 'req-1'],
  ['traceparent', '00-zz'],
  ['Long', 'x'.repeat(20_000)],
  ['Na me', 'x'],
  ['', 'x'],
  ['Nul', 'a\0b'],
] as const;

/** How the length of the body is told. */
const framing = fc.oneof(
  { weight: 60, arbitrary: fc.constant<Framing>((body) => [[`Content-Length: ${body.length}`], body]) },
  { weight: 2, arbitrary: fc.constant<Framing>((body) => [['Transfer-Encoding: chunked'], chunked(body)]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('hi mom', '-1', '+5', '1e3', '', '0', '99999999999999999999', '5, 5', '0x5')
      .map<Framing>((length) => (body) => [[`Content-Length: ${length}`], body]),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: -3, max: 3 })
      .map<Framing>((off) => (body) => [[`Content-Length: ${Math.max(0, body.length + off)}`], body]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'zz\r\n{}\r\n0\r\n\r\n',
        '5\r\n{}',
        '0\r\nx',
        'ffffffffffffffffff\r\n',
        '2;a=b\r\n{}\r\n0\r\n\r\n',
        '2\n{}\n0\n\n',
      )
      .map<Framing>((text) => () => [['Transfer-Encoding: chunked'], Buffer.from(text)]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Framing>((body) => [
      [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
      chunked(body),
    ]),
  },
);
type Framing = (body: Buffer) => readonly [headers: readonly string[], bytes: Buffer];

function chunked(body: Buffer): Buffer {
  const half = body.length >> 1;
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}

/** HTTP in its form, with parts that need not fit. */
export const structured: fc.Arbitrary<Buffer> = fc
  .constantFrom(...Object.entries(PATHS))
  .chain(([template, [methods, own]]) =>
    fc
      .record({
        method: methodOf(methods),
        path: pathOf(template),
        query: queryOf(own?.split(' ') ?? []),
        version: fc.option(version),
        type: fc.option(mostlyOf('application/json', CONTENT_TYPES), { freq: 20 }),
        accept: fc.oneof(
          { weight: 12, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: fc.constantFrom(...ACCEPTS) },
        ),
        token: fc.option(fc.constant('admin'), { freq: 20 }),
        odd: fc.oneof(
          { weight: 8, arbitrary: fc.constant<(typeof ODD_HEADERS)[number][]>([]) },
          { weight: 1, arbitrary: fc.constantFrom(...ODD_HEADERS).map((header) => [header]) },
        ),
        body: fc.option(bodyFor(template), { freq: 12 }),
        framing,
      })
      .map((r) => {
        const [lengths, bytes] = r.body && r.method !== 'GET' ? r.framing(r.body) : [[], Buffer.alloc(0)];
        const headers = [
          'Host: x',
          ...(r.token === null ? [] : [`X-Auth-Token: ${r.token}`]),
          ...(r.version === null ? [] : [`OpenStack-API-Version: ${r.version}`]),
          ...(r.type === null || !r.body ? [] : [`Content-Type: ${r.type}`]),
          ...(r.accept === null ? [] : [`Accept: ${r.accept}`]),
          ...r.odd.map(([name, value]) => `${name}: ${value}`),
          ...lengths,
        ];
        const head = Buffer.from(
          `${r.method} ${r.path}${r.query} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`,
          'latin1',
        );
        return Buffer.concat([head, bytes]);
      }),
  );

/** Cuts, doubles, overwrites and puts in bytes. */
const bent: fc.Arbitrary<Buffer> = fc
  .tuple(
    structured,
    fc.array(
      fc.record({
        at: fc.nat(2000),
        how: fc.constantFrom('flip', 'cut', 'put', 'double', 'drop'),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
  )
  .map(([request, bends]) =>
    bends.reduce((bytes, { at: far, how, bytes: some }) => {
      const at = far % Math.max(1, bytes.length);
      const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
      if (how === 'cut') return before;
      if (how === 'put') return Buffer.concat([before, some, after]);
      if (how === 'double') return Buffer.concat([before, after, after]);
      if (how === 'drop') return Buffer.concat([before, after.subarray(some.length)]);
      return Buffer.concat([before, some, after.subarray(some.length)]);
    }, request),
  );

/** What one connection sends before it says that nothing more will come. */
export const connection: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 12, arbitrary: structured },
  { weight: 5, arbitrary: bent },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(structured, bent), { minLength: 2, maxLength: 3 }).map((l) => Buffer.concat(l)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
