import { Controller, Module } from '@nestjs/common';
import { ArrayNotEmpty, IsInt, IsString } from 'class-validator';
import { createHttpApp, novaFaultMapper, noauth, type HttpApp } from '@fractus/http';
import { Closed, InVersions, Nested, Nullable, Optional, Since } from '@fractus/dto-schema';
import { forbidden, type RequestContext } from '@fractus/objects';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import {
  Answer,
  ApiEdge,
  Parameter,
  TextParameters,
  added,
  apiDecorators,
  checkOperations,
  defineVersion,
  defineVersions,
  lastOf,
  lift,
  removed,
  reshaped,
} from '../index';
import type { ActionRequest, ActionSpec, ApiRequest, ApiVersions, Flags, Served } from '../index';

type Flag = 'loud' | 'old';

@Closed()
class Thing {
  @IsString() name: string;
  @Optional() @Since('2.3') @IsInt() size?: number;
  @InVersions('-2.3', Optional()) @Nullable() @IsString() colour: string | null;
}
@Closed()
class CreateThing {
  @Nested(() => Thing) thing: Thing;
}
class ListThings {
  @Optional() @Parameter(IsString()) limit?: string[];
  @Optional() @TextParameters() tag?: string[];
}
@Closed()
class Poke {
  @Optional() @Nullable() @IsInt() poke?: number;
}
@Closed()
class Prod {
  @ArrayNotEmpty() prod: number[];
}

const API: ApiVersions = {
  service: 'compute',
  min: '2.1',
  max: '2.5',
  legacyHeader: 'X-OpenStack-Nova-API-Version',
  dialect: 'nova',
};
const TABLE = defineVersions<Flag>(API, [
  defineVersion({
    version: '2.2',
    summary: 'A thing has a state.',
    responses: [added('thing', 'state')],
    turnsOn: ['loud'],
  }),
  defineVersion({
    version: '2.3',
    summary: 'A thing has a size; kind is gone.',
    responses: [added('thing', 'size'), removed('thing', 'kind')],
  }),
  defineVersion({
    version: '2.4',
    summary: 'A colour must be given; owner is an object; poke is gone.',
    responses: [reshaped('thing', (v) => ({ ...v, owner: (v.owner as { id: string }).id }))],
    requests: [lift(CreateThing, (b) => ({ thing: { ...b.thing, colour: b.thing.colour ?? null } }))],
    turnsOff: ['old'],
  }),
]);

const { Api, ApiActions } = apiDecorators<Flag>();
const ACTIONS: readonly ActionSpec[] = [
  { key: 'poke', until: '2.3', body: Poke, success: 202, policy: 'things:poke' },
  { key: 'prod', body: Prod, policy: 'things:prod' },
];
const thing = (): object => ({ name: 'a', kind: 'k', state: 's', size: 1, owner: { id: 'o' } });

@Controller()
class ThingsController {
  @Api('GET /things', { query: ListThings, views: { 'things[]': 'thing' }, policy: 'things:list' })
  list(_ctx: RequestContext, { query }: ApiRequest<unknown, ListThings>): object {
    return { things: [thing(), thing()], limit: lastOf(query.limit), query };
  }

  @Api('POST /things', {
    body: CreateThing,
    success: { '-2.1': 200, '2.2-': 201 },
    views: { thing: 'thing' },
    policy: 'things:create',
  })
  create(_ctx: RequestContext, { body }: ApiRequest<CreateThing>, flags: Flags<Flag>): object {
    return { thing: { ...thing(), given: body.thing }, flags };
  }

  @Api('DELETE /things/{thing_id}', { since: '2.2', until: '2.3', success: 204, policy: 'things:delete' })
  remove(_ctx: RequestContext, { params }: ApiRequest): Answer | undefined {
    return params.thing_id === 'special'
      ? new Answer({ ok: true }, { status: 202, headers: { 'x-a': 'b' } })
      : undefined;
  }

  @ApiActions('POST /things/{thing_id}/action', ACTIONS)
  act(_ctx: RequestContext, { action, body }: ActionRequest<ActionSpec>): object {
    return { did: action.key, body };
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('the edge of a versioned API', () => {
  let app: HttpApp;
  let url: string;
  const served: Served[] = [];

  beforeAll(async () => {
    app = await createHttpApp(ThingsModule, {
      service: 't',
      logger: silentLogger(),
      metrics: createMetrics(),
      faultMapper: novaFaultMapper,
      tokens: noauth(),
      unknownMethod: 404,
      rewriteUrl: (u) => u.replace(/^\/old/, ''),
    });
    const authorize = (ctx: RequestContext, rule: string): void => {
      if (!ctx.roles.includes('admin')) throw forbidden(`Policy doesn't allow ${rule} to be performed.`);
    };
    new ApiEdge({
      versions: TABLE,
      authorize,
      isLegacy: (r) => r.originalUrl.startsWith('/old'),
      observe: (s) => served.push(s),
    }).install(app.fastify);
    url = await app.listen('127.0.0.1', 0);
  });
  afterAll(() => app.close());

  async function call(
    method: string,
    path: string,
    version?: string,
    body?: unknown,
    token = 'admin',
  ): Promise<{ status: number; headers: Headers; body: Record<string, never> }> {
    const response = await fetch(url + path, {
      method,
      headers: {
        'x-auth-token': token,
        'content-type': 'application/json',
        ...(version ? { 'openstack-api-version': `compute ${version}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Record<string, never>,
    };
  }
  const create = (version: string, thingBody: object): ReturnType<typeof call> =>
    call('POST', '/things', version, { thing: thingBody });

  it('gives each version its form of an answer', async () => {
    const fields = async (version?: string): Promise<object> =>
      (await call('GET', '/things', version)).body.things[0] as object;
    expect(await fields()).toEqual({ name: 'a', kind: 'k', owner: 'o' });
    expect(await fields('2.2')).toEqual({ name: 'a', kind: 'k', state: 's', owner: 'o' });
    expect(await fields('2.3')).toEqual({ name: 'a', state: 's', size: 1, owner: 'o' });
    expect(await fields('latest')).toEqual({ name: 'a', state: 's', size: 1, owner: { id: 'o' } });
  });

  it('says which version it served', async () => {
    const { headers } = await call('GET', '/things', '2.3');
    expect(headers.get('openstack-api-version')).toBe('compute 2.3');
    expect(headers.get('x-openstack-nova-api-version')).toBe('2.3');
    expect(headers.get('vary')).toBe('OpenStack-API-Version, X-OpenStack-Nova-API-Version');
  });

  it('validates the version asked for, then lifts', async () => {
    expect((await create('2.3', { name: 'a' })).body.thing).toMatchObject({ given: { name: 'a', colour: null } });
    expect(await create('2.4', { name: 'a' })).toMatchObject({
      status: 400,
      body: { badRequest: { message: expect.stringContaining("'colour' is a required property") } },
    });
    expect((await create('2.2', { name: 'a', size: 1 })).status).toBe(400);
    expect((await create('2.3', { name: 'a', size: 1 })).status).toBe(201);
    expect((await create('2.1', { name: 'a' })).status).toBe(200);
    expect((await call('POST', '/things', '2.3')).status).toBe(400);
  });

  it('turns behaviours on and off', async () => {
    expect((await create('2.1', { name: 'a' })).body.flags).toEqual({ loud: false, old: true });
    expect((await create('2.5', { name: 'a', colour: null })).body.flags).toEqual({ loud: true, old: false });
  });

  it('shows an operation in its versions only', async () => {
    const statuses = await Promise.all(
      ['2.1', '2.2', '2.3', '2.4'].map(async (v) => (await call('DELETE', '/things/1', v)).status),
    );
    expect(statuses).toEqual([404, 204, 204, 404]);
    expect(await call('DELETE', '/things/special', '2.2')).toMatchObject({ status: 202, body: { ok: true } });
  });

  it('dispatches actions by the only key of the body', async () => {
    const act = (body: unknown, version = '2.3'): ReturnType<typeof call> =>
      call('POST', '/things/1/action', version, body);
    expect(await act({ poke: 3 })).toMatchObject({ status: 202, body: { did: 'poke', body: { poke: 3 } } });
    expect(await act({ prod: [1] })).toMatchObject({ status: 200, body: { did: 'prod' } });
    expect((await act({ poke: 3 }, '2.4')).status).toBe(404);
    for (const body of [{ poke: 'x' }, { nope: 1 }, {}, { poke: 1, prod: [1] }, [], 'poke', null, undefined])
      expect((await act(body)).status).toBe(400);
  });

  it('drops unknown query parameters of an open class and refuses bad ones', async () => {
    expect((await call('GET', '/things?limit=3&tag=a&tag=b&x=1&__proto__=2', '2.3')).body).toMatchObject({
      limit: '3',
      query: { limit: ['3'], tag: ['a', 'b'] },
    });
    expect(await call('GET', '/things?limit=3&limit=4', '2.3')).toMatchObject({
      status: 400,
      body: { badRequest: { message: expect.stringContaining('query parameters limit') } },
    });
  });

  it('checks the version before, and the policy after, the request', async () => {
    expect((await call('POST', '/things', '2.3', { thing: {} }, 'joe')).status).toBe(400);
    expect(await call('POST', '/things', '2.3', { thing: { name: 'a' } }, 'joe')).toMatchObject({
      status: 403,
      body: { forbidden: { message: expect.stringContaining('things:create') } },
    });
    expect(await call('GET', '/things', '2.9')).toMatchObject({ status: 406 });
    expect(await call('GET', '/things', 'x.y')).toMatchObject({ status: 400 });
    expect((await call('GET', '/nothing', '2.9')).status).toBe(404);
  });

  it('serves the legacy endpoint without versions, dropping what it does not know', async () => {
    const { status, headers, body } = await call('POST', '/old/things', '2.4', {
      thing: { name: 'a', size: 3 },
      more: 1,
    });
    expect([status, headers.get('openstack-api-version'), body.thing]).toEqual([
      200,
      null,
      expect.objectContaining({ given: { name: 'a', colour: null } }),
    ]);
  });

  it('tells an observer what it answered', () => {
    expect(served).toContainEqual(
      expect.objectContaining({ operation: 'POST /things/{thing_id}/action poke', version: '2.3', status: 202 }),
    );
  });

  it('finds declarations that do not fit together', () => {
    expect(checkOperations(TABLE, [ThingsController])).toEqual([]);
    const bare = defineVersions<Flag>(API, [
      defineVersion({ version: '2.2', summary: '', responses: [added('thnig', 'x')] }),
    ]);
    expect(checkOperations(bare, [ThingsController])).toEqual(
      expect.arrayContaining([
        expect.stringContaining('changes with 2.3'),
        expect.stringContaining("the view 'thnig'"),
      ]),
    );
  });
});
