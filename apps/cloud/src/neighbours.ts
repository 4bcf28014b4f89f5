import {
  IdentityConfig,
  ImageConfig,
  NetworkConfig,
  startIdentity,
  startImage,
  startNetwork,
  type RunningIdentity,
  type RunningImage,
  type RunningNetwork,
} from '@fractus/app-companions';
import { ServiceSession, TokenValidator } from '@fractus/clients';
import type { Database } from '@fractus/database';
import type { CloudBase } from './cloud-base';
import type { CloudPlan } from './plan';
import type { ServedName } from './ports';

export interface Neighbours {
  readonly identity: RunningIdentity;
  readonly image: RunningImage;
  readonly network: RunningNetwork;
  /** Identity's URL, ending in /v3. */
  readonly authUrl: string;
  readonly validate: TokenValidator['validate'];
  /** A session of Compute's service user; with a database it refuses calls inside a transaction. */
  session(database?: Database): ServiceSession;
}

/** Starts identity, then image and network, which ask it about tokens. */
export async function startNeighbours(plan: CloudPlan, base: CloudBase): Promise<Neighbours> {
  const { bind: host, ports, configs } = plan;
  const { metrics } = base;
  const fixed = {
    host,
    port: ports.identity,
    databaseUrl: base.databaseUrl('identity'),
    tokenKeyFile: plan.file('keys', 'tokens'),
  };
  const identity = base.keep(
    await startIdentity({
      config: base.config(IdentityConfig, 'identity', fixed, configs?.identity),
      logger: base.logger('identity'),
      metrics,
    }),
  );
  await identity.bootstrap(bootstrapOf(plan, identity.url));
  const authUrl = `${identity.url.replace(/\/$/, '')}/v3`;
  const session = (database?: Database): ServiceSession => sessionOf(plan, authUrl, database);
  const tokens = new TokenValidator({
    session: session(),
    onRevocation: (listener) => identity.onRevocation(listener),
  });
  const validate = tokens.validate.bind(tokens);
  const shared = { validate, identityUri: authUrl, metrics };
  const image = await startImage({
    config: base.config(ImageConfig, 'image', {
      host,
      port: ports.image,
      databaseUrl: base.databaseUrl('image'),
      dataFolder: plan.file('images'),
    }),
    logger: base.logger('image'),
    ...shared,
  });
  base.keep(image);
  const network = await startNetwork({
    config: base.config(NetworkConfig, 'network', {
      host,
      port: ports.network,
      databaseUrl: base.databaseUrl('network'),
    }),
    logger: base.logger('network'),
    ...shared,
  });
  base.keep(network);
  return { identity, image, network, authUrl, validate, session };
}

function sessionOf({ secrets }: CloudPlan, authUrl: string, database?: Database): ServiceSession {
  return new ServiceSession({
    authUrl,
    credentials: { username: 'nova', password: secrets.servicePassword, projectName: 'service' },
    region: 'RegionOne',
    interface: 'public',
    ...(database ? { assertOutsideTransaction: (what: string) => database.assertOutsideTransaction(what) } : {}),
  });
}

function bootstrapOf(
  { bind, ports, secrets }: CloudPlan,
  identityUrl: string,
): Parameters<RunningIdentity['bootstrap']>[0] {
  const host = bind.includes(':') ? `[${bind}]` : bind === '0.0.0.0' ? '127.0.0.1' : bind;
  const at = (name: ServedName, path = ''): string => `http://${host}:${ports[name]}${path}`;
  return {
    adminPassword: secrets.adminPassword,
    demoPassword: secrets.demoPassword,
    serviceUsers: { nova: secrets.servicePassword, placement: secrets.servicePassword },
    endpoints: {
      identity: `${identityUrl.replace(/\/$/, '')}/v3`,
      compute: at('compute', '/v2.1'),
      placement: at('placement'),
      image: at('image'),
      network: at('network'),
    },
  };
}
