/** Runs one companion in a process of its own: `main.js identity|image|network`, configured by environment. */
import 'reflect-metadata';
import { ServiceSession, TokenValidator } from '@fractus/clients';
import { loadConfig } from '@fractus/config';
import { createLogger, createMetrics, type RunningService } from '@fractus/telemetry';
import { IdentityConfig, ImageConfig, NetworkConfig, startIdentity, startImage, startNetwork } from './app.module';
import { BootstrapConfig, CallerConfig } from './main.config';

async function start(name: string | undefined): Promise<RunningService> {
  const { env } = process;
  const logger = createLogger({ service: name ?? 'companions' });
  const parts = { logger, metrics: createMetrics({ process: true }) };
  switch (name) {
    case 'identity': {
      const identity = await startIdentity({
        ...parts,
        config: loadConfig(IdentityConfig, { env, prefix: 'FRACTUS_IDENTITY_' }),
      });
      const seed = loadConfig(BootstrapConfig, { env, prefix: 'FRACTUS_IDENTITY_' });
      if (seed.adminPassword) await identity.bootstrap({ ...seed, adminPassword: seed.adminPassword });
      return identity;
    }
    case 'image':
      return startImage({ ...parts, ...checks(), config: loadConfig(ImageConfig, { env, prefix: 'FRACTUS_IMAGE_' }) });
    case 'network':
      return startNetwork({
        ...parts,
        ...checks(),
        config: loadConfig(NetworkConfig, { env, prefix: 'FRACTUS_NETWORK_' }),
      });
    default:
      throw new Error('which companion? identity, image or network');
  }
}

/** Tokens are checked by this service's own user against identity. */
function checks(): { validate: (token: string) => ReturnType<TokenValidator['validate']>; identityUri: string } {
  const { authUrl, username, password, projectName } = loadConfig(CallerConfig, {
    env: process.env,
    prefix: 'FRACTUS_',
  });
  const session = new ServiceSession({ authUrl, credentials: { username, password, projectName } });
  const tokens = new TokenValidator({ session });
  return { validate: (token) => tokens.validate(token), identityUri: authUrl };
}

async function main(): Promise<void> {
  const service = await start(process.argv[2]);
  process.stdout.write(`${service.name} listens on ${service.url ?? ''}\n`);
  const stop = (): void => void service.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((e: unknown) => {
  process.stderr.write(`${e instanceof Error ? e.message : String(e)}\n`);
  process.exit(1);
});
