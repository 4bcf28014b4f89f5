/** Runs one companion in a process of its own: `main.js identity|image|network`, configured by environment. */
import 'reflect-metadata';
import { ServiceSession, TokenValidator } from '@fractus/clients';
import { loadServiceConfig } from '@fractus/config';
import { createLogger, createMetrics, runService, type RunningService } from '@fractus/telemetry';
import { startIdentity, startImage, startNetwork } from './app.module';
import { type CallerConfig, IdentityProcessConfig, ImageProcessConfig, NetworkProcessConfig } from './config';

async function start(name: string | undefined): Promise<RunningService> {
  const { env } = process;
  const logger = createLogger({ service: name ?? 'companions' });
  const parts = { logger, metrics: createMetrics({ process: true }) };
  switch (name) {
    case 'identity': {
      const config = loadServiceConfig(IdentityProcessConfig, name, env);
      const identity = await startIdentity({ ...parts, config });
      const { adminPassword, ...seed } = config.bootstrap;
      if (adminPassword) await identity.bootstrap({ ...seed, adminPassword });
      return identity;
    }
    case 'image': {
      const config = loadServiceConfig(ImageProcessConfig, name, env);
      return startImage({ ...parts, ...checks(config.caller), config });
    }
    case 'network': {
      const config = loadServiceConfig(NetworkProcessConfig, name, env);
      return startNetwork({ ...parts, ...checks(config.caller), config });
    }
    default:
      throw new Error('which companion? identity, image or network');
  }
}

/** Tokens are checked by this service's own user against identity. */
function checks({ authUrl, username, password, projectName }: CallerConfig): {
  validate: (token: string) => ReturnType<TokenValidator['validate']>;
  identityUri: string;
} {
  const session = new ServiceSession({ authUrl, credentials: { username, password, projectName } });
  const tokens = new TokenValidator({ session });
  return { validate: (token) => tokens.validate(token), identityUri: authUrl };
}

const name = process.argv[2];
runService(name ?? 'companions', () => start(name));
