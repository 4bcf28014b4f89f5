/**
 * What compute relies on of its neighbours, as cases that run against any of them: our companions in our own tests, a
 * real Keystone, Glance and Neutron where one is at hand. Each case cleans up after itself. No test framework is
 * needed: a case fails by throwing.
 */
import assert from 'node:assert/strict';
import { isFractusError, type ErrorKind, type RequestContext } from '@fractus/objects';
import type { ImageClient } from './image-client';
import { contextOfToken } from './identity-token';
import type { NetworkClient } from './network-client';
import type { Network } from './network-types';
import type { ServiceSession } from './service-session';
import type { TokenValidator } from './token-validator';

export interface ContractEnvironment {
  session: ServiceSession;
  tokens: TokenValidator;
  images: ImageClient;
  networks: NetworkClient;
  /** A token of a user with the role member, and none of admin, on some project. */
  userToken(): Promise<string>;
  /** Takes a token back, as its user would. */
  revoke(token: string): Promise<void>;
  /** A shared network with a subnet and free addresses. */
  networkName: string;
}

export interface ContractCase {
  readonly name: string;
  run(env: ContractEnvironment): Promise<void>;
}

const NOWHERE = '00000000-0000-4000-8000-000000000000';

export const CLIENT_CONTRACT: readonly ContractCase[] = [
  {
    name: 'identity: a token tells user, project, roles and catalog; a strange one is refused',
    async run({ tokens, userToken }) {
      const token = await tokens.validate(await userToken());
      assert.ok(token.userId && token.projectId && token.userDomainId);
      assert.ok(token.roles.includes('member'));
      assert.ok(token.expiresAt > Date.now());
      await refused('unauthenticated', tokens.validate('gAAAAABnot-a-token-of-anyone'));
    },
  },
  {
    name: 'identity: a token that was taken back is refused',
    async run({ tokens, userToken, revoke }) {
      const token = await userToken();
      await tokens.validate(token);
      await revoke(token);
      tokens.revoke({}); // a validator that reads events would find out within its interval
      await refused('unauthenticated', tokens.validate(token));
    },
  },
  {
    name: 'identity: the service user has roles, and the catalog knows image and network',
    async run({ session }) {
      const ctx = caseContext();
      const self = await session.self(ctx);
      assert.ok(self.roles.length > 0);
      assert.match(await session.endpoint(ctx, 'image'), /^https?:/);
      assert.match(await session.endpoint(ctx, 'network'), /^https?:/);
      await refused('unavailable', session.endpoint(ctx, 'no-such-service'));
    },
  },
  {
    name: 'image: create, upload, show, download and delete',
    async run(env) {
      const ctx = await userContext(env);
      const bytes = Buffer.alloc(300_000, 'contract ');
      const properties = { hw_disk_bus: 'virtio' };
      const image = await env.images.create(ctx, {
        name: 'contract',
        diskFormat: 'raw',
        containerFormat: 'bare',
        visibility: 'private',
        properties,
      });
      try {
        assert.equal(image.status, 'queued');
        await env.images.upload(ctx, image.id, bytes);
        const shown = await env.images.show(systemLike(ctx), image.id);
        assert.deepEqual(
          [shown.status, shown.size, shown.properties['hw_disk_bus']],
          ['active', bytes.length, 'virtio'],
        );
        const stream = await env.images.download(systemLike(ctx), image.id);
        assert.ok(stream && (await bytesOf(stream)).equals(bytes));
        const patched = await env.images.update(ctx, image.id, [{ op: 'replace', path: '/name', value: 'renamed' }]);
        assert.equal(patched.name, 'renamed');
      } finally {
        await env.images.delete(ctx, image.id);
      }
      await refused('not_found', env.images.show(systemLike(ctx), image.id));
      await env.images.delete(ctx, image.id);
    },
  },
  {
    name: 'image: a private image of another project is not to be seen, with the user’s token or without',
    async run(env) {
      const ctx = await userContext(env);
      const image = await env.images.create(ctx, {
        name: 'hidden',
        visibility: 'private',
        diskFormat: 'raw',
        containerFormat: 'bare',
      });
      try {
        await refused('not_found', env.images.show(ctx, image.id));
        await refused('not_found', env.images.show(ctx, image.id, { token: await env.userToken() }));
        await refused('not_found', env.images.show(ctx, NOWHERE));
      } finally {
        await env.images.delete(ctx, image.id);
      }
    },
  },
  {
    name: 'network: a shared network is found by name and by id, an unknown one is not',
    async run(env) {
      const ctx = await userContext(env);
      const network = await sharedNetwork(env, ctx);
      assert.equal((await env.networks.showNetwork(ctx, network.id)).name, env.networkName);
      const subnets = await env.networks.listSubnets(ctx, { networkId: network.id });
      assert.ok(subnets.length > 0 && subnets.every((s) => s.networkId === network.id));
      await refused('not_found', env.networks.showNetwork(ctx, NOWHERE));
      assert.deepEqual(await env.networks.listNetworks(ctx, { ids: [] }), []);
    },
  },
  {
    name: 'network: a port is made for the user’s project, bound, listed by device, and removed twice without harm',
    async run(env) {
      const ctx = await userContext(env);
      const network = await sharedNetwork(env, ctx);
      const deviceId = `contract-${process.pid}-${process.hrtime.bigint()}`;
      const port = await env.networks.createPort(ctx, { networkId: network.id, deviceId, deviceOwner: 'compute:nova' });
      try {
        assert.equal(port.projectId, ctx.projectId);
        assert.ok(port.fixedIps.length > 0 && port.macAddress && port.securityGroupIds.length === 1);
        const bound = await env.networks.updatePort(ctx, port.id, { bindingHost: 'contract-host' });
        assert.equal(bound.bindingHost, 'contract-host');
        assert.deepEqual(
          (await env.networks.listPorts(ctx, { deviceId })).map((p) => p.id),
          [port.id],
        );
        const [fixed] = port.fixedIps;
        const again = {
          networkId: network.id,
          fixedIps: [{ subnetId: fixed?.subnetId ?? '', ipAddress: fixed?.ipAddress ?? '' }],
        };
        await refused('conflict', env.networks.createPort(ctx, again));
        const own = await env.networks.listSecurityGroups(ctx, { projectId: ctx.projectId ?? '', name: 'default' });
        assert.deepEqual(
          own.map((g) => g.id),
          port.securityGroupIds,
        );
      } finally {
        await env.networks.deletePort(ctx, port.id);
      }
      await env.networks.deletePort(ctx, port.id);
      await refused('not_found', env.networks.showPort(ctx, port.id));
    },
  },
  {
    name: 'network: the port binding extension is on, and a project has quotas',
    async run({ networks, ...env }) {
      const ctx = await userContext({ networks, ...env });
      const extensions = await networks.extensions(ctx);
      for (const alias of ['binding', 'security-group']) assert.ok(extensions.has(alias), `extension ${alias}`);
      const projectId = ctx.projectId ?? '';
      assert.equal(typeof (await networks.quotas(ctx, projectId))['port'], 'number');
      assert.equal(await networks.portsUsed(ctx, projectId), (await networks.listPorts(ctx, { projectId })).length);
    },
  },
];

function caseContext(): RequestContext {
  return {
    requestId: 'req-00000000-0000-4000-8000-000000000001',
    userId: null,
    projectId: null,
    roles: [],
    deadline: Date.now() + 30_000,
  };
}

async function userContext({ tokens, userToken }: ContractEnvironment): Promise<RequestContext> {
  return { ...caseContext(), ...contextOfToken(await tokens.validate(await userToken())) };
}

/** The images of these cases belong to the service user's project, as it is the one that makes them. */
const systemLike = (ctx: RequestContext): RequestContext => ({ ...ctx, roles: [...ctx.roles, 'admin'] });

async function sharedNetwork({ networks, networkName }: ContractEnvironment, ctx: RequestContext): Promise<Network> {
  const [network] = await networks.listNetworks(ctx, { name: networkName });
  assert.ok(network, `a network named ${networkName}`);
  return network;
}

async function refused(kind: ErrorKind, attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (e) => {
    assert.ok(isFractusError(e, kind), `expected ${kind}, got ${String(e)}`);
    return true;
  });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
