/** What no Placement at hand does on demand: other versions, lost tokens, races, silence. */
import { randomUUID } from 'node:crypto';
import { loadConfig, Option, Section } from '@fractus/config';
import { systemContext, withTimeout } from '@fractus/objects';
import {
  OptionalCallerConfig,
  PlacementAtConfig,
  PlacementClient,
  placementSession,
  ServiceSession,
  type PlacementClientOptions,
} from '../src';
import { Neighbour, tokenReply, type Reply, type Seen } from './neighbour';

const ctx = systemContext('req-33333333-3333-4333-8333-333333333333');
const versions = (max: string): Reply => ({ status: 200, json: { versions: [{ id: 'v1.0', max_version: max }] } });
const fault = (status: number, detail: string, code?: string): Reply => ({
  status,
  json: { errors: [{ status, detail: `There was a problem.\n\n ${detail}  `, ...(code ? { code } : {}) }] },
});
const CONCURRENT = 'placement.concurrent_update';
const [provider, consumerId, taskId] = [randomUUID(), randomUUID(), randomUUID()];
const claim = {
  consumerId,
  consumerGeneration: null,
  projectId: 'p',
  userId: 'u',
  consumerType: 'INSTANCE',
  allocations: { [provider]: { resources: { VCPU: 1 } } },
};
const group = {
  suffix: '',
  resources: { VCPU: 1 },
  required: [],
  forbidden: [],
  anyOf: [],
  memberOf: [],
  notMemberOf: [],
};
const query = { groups: [group], sameSubtree: [], rootRequired: [], rootForbidden: [] };

describe('a Placement over REST', () => {
  let peer: Neighbour;
  beforeEach(async () => (peer = await Neighbour.start()));
  afterEach(() => peer.close());

  /** `rest` answers everything but the version document. */
  const script = (rest: (seen: Seen) => Reply | undefined, max = '1.39'): void => {
    peer.replies = [(seen) => (seen.path === '/' ? versions(max) : (rest(seen) ?? { status: 404, json: {} }))];
  };
  const client = (more: Partial<PlacementClientOptions> = {}) =>
    new PlacementClient({ endpoint: peer.url, token: 'admin', timeoutMs: 5_000, ...more });

  describe('is spoken to', () => {
    it.each([
      ['1.36', '1.36'],
      ['1.39', '1.39'],
      ['1.77', '1.39'],
    ])('where it offers up to %s, at %s', async (max, spoken) => {
      script(() => ({ status: 200, json: { allocations: {} } }), max);
      await (await client().open()).getAllocations(ctx, { consumerId });
      expect(peer.seen.at(-1)!.headers).toMatchObject({
        'openstack-api-version': `placement ${spoken}`,
        'x-auth-token': 'admin',
        'x-openstack-request-id': ctx.requestId,
      });
    });

    it.each([
      ['less than is needed', versions('1.35'), /offers microversions up to 1\.35; 1\.36 or later is needed/],
      ['something else', { status: 200, json: { hello: 1 } } satisfies Reply, /tells no microversions/],
    ])('not where it offers %s', async (_what, reply, message) => {
      peer.replies = [() => reply];
      await expect(client().open()).rejects.toMatchObject({
        kind: 'unimplemented',
        code: 'placement.version',
        message: expect.stringMatching(message),
      });
    });

    it('as the service user, with a new token when the old one is refused, and where the catalog says', async () => {
      let logins = 0;
      const catalog = [
        {
          type: 'placement',
          name: 'p',
          endpoints: [{ interface: 'public', region: 'R', url: `${peer.url}/placement` }],
        },
      ];
      peer.replies = [
        ({ path, headers }) => {
          if (path === '/v3/auth/tokens') return tokenReply(`t${++logins}`, peer.url, { catalog });
          if (path === '/placement/') return versions('1.39');
          if (headers['x-auth-token'] === 't1') return { status: 401, json: {} };
          return { status: 200, json: { allocations: {} } };
        },
      ];
      const credentials = { username: 'nova', password: 'secret', projectName: 'service' };
      const session = new ServiceSession({ authUrl: peer.url, credentials });
      const placement = new PlacementClient({ endpoint: 'catalog', session });
      expect(await placement.getAllocations(ctx, { consumerId })).toMatchObject({ consumerGeneration: null });
      expect(peer.seen.at(-1)).toMatchObject({ path: `/placement/allocations/${consumerId}` });
      expect([logins, peer.seen.at(-1)!.headers['x-auth-token']]).toEqual([2, 't2']);
    });

    it.each([401, 403])('in vain where it answers %s: that is for an operator to mend, and passes', async (status) => {
      script(() => ({ status, json: { errors: [{ detail: 'no' }] } }));
      await expect(client().getAllocations(ctx, { consumerId })).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'placement.service_user_refused',
      });
    });

    it('until the deadline, and not inside a transaction', async () => {
      script(({ path }) => (path.startsWith('/allocations') ? 'hang' : undefined));
      await expect(client().getAllocations(withTimeout(ctx, 60), { consumerId })).rejects.toMatchObject({
        kind: 'timeout',
      });
      const assertOutsideTransaction = (what: string): void => {
        throw new Error(`${what} in a transaction`);
      };
      await expect(client({ assertOutsideTransaction }).writeAllocations(ctx, { consumers: [claim] })).rejects.toThrow(
        /in a transaction/,
      );
    });

    it('and is not ready while nobody answers', async () => {
      script(() => undefined);
      const [placement, other] = [client(), client()];
      expect(await placement.ready()).toEqual({ part: 'placement', ok: true });
      await peer.close();
      expect(await placement.ready()).toMatchObject({ part: 'placement', ok: false });
      await expect(other.open()).rejects.toMatchObject({ kind: 'unavailable' });
      peer = await Neighbour.start();
    });
  });

  describe('in which others write', () => {
    const posts = () => peer.seen.filter((s) => s.method === 'POST');

    it('is asked again when a provider moved under a claim', async () => {
      script(({ method }) =>
        method !== 'POST'
          ? { status: 200, json: { allocations: {} } }
          : posts().length < 3
            ? fault(409, 'Inventory and/or allocations changed while attempting to allocate', CONCURRENT)
            : { status: 204 },
      );
      const { consumers } = await client().writeAllocations(ctx, { consumers: [claim] });
      expect(consumers).toMatchObject([{ consumerId, consumerGeneration: 1 }]);
      expect(posts()).toHaveLength(3);
    });

    it('is not asked again when the consumer did, for a generation that the caller named', async () => {
      script(() => fault(409, 'consumer generation conflict - expected 2 but got null', CONCURRENT));
      const write = client().writeAllocations(ctx, { consumers: [claim] });
      await expect(write).rejects.toMatchObject({ kind: 'conflict', code: CONCURRENT });
      await expect(write).rejects.toThrow(/^consumer generation conflict - expected 2 but got null$/);
      expect(posts()).toHaveLength(1);
    });

    it('is asked again with what is there now, where the caller named none', async () => {
      let generation = 4;
      script(({ method, body }) => {
        if (method === 'GET')
          return { status: 200, json: { allocations: claim.allocations, consumer_generation: generation++ } };
        const sent = (JSON.parse(body) as Record<string, { consumer_generation: number }>)[consumerId]!;
        return sent.consumer_generation === 5
          ? { status: 204 }
          : fault(409, 'consumer generation conflict - …', CONCURRENT);
      });
      const { consumerGeneration: _none, ...bare } = claim;
      const { consumers } = await client().writeAllocations(ctx, { consumers: [bare] });
      expect(consumers).toMatchObject([{ consumerGeneration: 6 }]);
    });

    it('has the claim of a task taken back whose successor began while it was written', async () => {
      let fence = 3;
      script(({ method }) => {
        if (method === 'POST') fence = 4;
        return { status: 204 };
      });
      const placement = client({ fenceOf: async () => fence });
      const write = placement.writeAllocations(ctx, { consumers: [{ ...claim, owner: { taskId, fence: 3 } }] });
      await expect(write).rejects.toMatchObject({ kind: 'conflict', code: 'claim.stale_fence' });
      const undone = peer.seen.at(-1)!;
      expect([undone.method, undone.path]).toEqual(['PUT', `/allocations/${consumerId}`]);
      expect(JSON.parse(undone.body)).toMatchObject({ allocations: {}, consumer_generation: 1 });
    });

    it('hears nothing of a task whose successor began before', async () => {
      script(() => ({ status: 200, json: { allocations: {} } }));
      const placement = client({ fenceOf: async () => 4 });
      const owner = { taskId, fence: 3 };
      const stale = { kind: 'conflict', code: 'claim.stale_fence' };
      await expect(placement.writeAllocations(ctx, { consumers: [{ ...claim, owner }] })).rejects.toMatchObject(stale);
      await expect(placement.deleteAllocations(ctx, { consumerId, owner })).rejects.toMatchObject(stale);
      expect(peer.seen.filter((s) => s.method !== 'GET')).toEqual([]);
    });
  });

  describe('of other days', () => {
    it('knows no types of consumers before 1.38', async () => {
      script(({ method }) => (method === 'POST' ? { status: 204 } : undefined), '1.37');
      await client().writeAllocations(ctx, { consumers: [claim] });
      expect(JSON.parse(peer.seen.at(-1)!.body)[consumerId]).not.toHaveProperty('consumer_type');
    });

    it('cannot be asked for one of several traits before 1.39', async () => {
      script(() => ({ status: 200, json: { allocation_requests: [], provider_summaries: {} } }), '1.38');
      const anyOf = [['A'], ['B', 'C']];
      await expect(client().getCandidates(ctx, { ...query, groups: [{ ...group, anyOf }] })).rejects.toMatchObject({
        kind: 'unimplemented',
        code: 'placement.version',
      });
      await client().getCandidates(ctx, { ...query, groups: [{ ...group, anyOf: [['A']] }] });
      expect(peer.seen.at(-1)!.path).toBe('/allocation_candidates?resources=VCPU%3A1&required=A');
    });

    it('is not told of standard traits that it does not know', async () => {
      script(({ method, path, body }) => {
        if (method === 'GET') return { status: 200, json: { traits: ['COMPUTE_NODE'] } };
        if (!path.endsWith('/traits')) return undefined;
        const { traits } = JSON.parse(body) as { traits: string[] };
        if (traits.length > 1) return fault(400, 'No such trait(s): HW_OF_TOMORROW.');
        return { status: 200, json: { resource_provider_generation: 8, traits } };
      });
      const warned: object[] = [];
      const placement = client({ logger: { warn: (facts) => void warned.push(facts) } });
      const updates = [{ providerId: provider, generation: 7, traits: ['COMPUTE_NODE', 'HW_OF_TOMORROW'] }];
      expect(await placement.updateProviders(ctx, { updates })).toEqual({
        results: [{ providerId: provider, generation: 8 }],
      });
      expect(warned).toEqual([{ traits: ['HW_OF_TOMORROW'] }]);
    });
  });
});

describe('where Placement is', () => {
  class Config {
    @Option({ default: 1, describe: 'x' }) x: number;
    @Section(() => PlacementAtConfig) placement: PlacementAtConfig;
    @Section(() => OptionalCallerConfig) caller: OptionalCallerConfig;
  }
  const sessionOf = (env: Record<string, string>) => {
    const { placement, caller } = loadConfig(Config, { prefix: 'X_', commonPrefix: 'F_', env });
    return placementSession(placement, caller);
  };

  it('needs nothing said of ours, nor a user for a token', () => {
    expect(sessionOf({})).toBeUndefined();
    expect(sessionOf({ F_PLACEMENT_ENDPOINT: 'http://p:8778', F_PLACEMENT_TOKEN: 'admin' })).toBeUndefined();
  });

  it('needs a service user, and says all that is missing', () => {
    const at = { F_PLACEMENT_ENDPOINT: 'catalog' };
    expect(() => sessionOf(at)).toThrow(/set AUTH_URL\n.*set PASSWORD/);
    expect(() => sessionOf({ ...at, F_AUTH_URL: 'http://k:5000', F_PLACEMENT_TOKEN: 'x' })).toThrow(/set PASSWORD/);
    expect(sessionOf({ ...at, F_AUTH_URL: 'http://k:5000', F_PASSWORD: 's' })?.identityUrl).toBe('http://k:5000/v3');
  });

  it.each(['ftp://p', 'p:8778', 'there'])('is no %s', (endpoint) => {
    expect(() => sessionOf({ F_PLACEMENT_ENDPOINT: endpoint })).toThrow(
      /endpoint must be an http or https URL, or catalog/,
    );
  });
});
