/** Runs one companion in a process of its own: `main.js identity|image|network|volume`, configured by environment. */
import 'reflect-metadata';
import { callerSession, ImageClient, TokenValidator, type CallerConfig } from '@fractus/clients';
import { runProcess } from '@fractus/process';
import { startIdentity, startImage, startNetwork, startVolume } from './app.module';
import { IdentityProcessConfig, ImageProcessConfig, NetworkProcessConfig, VolumeProcessConfig } from './config';

/** Tokens are checked by this service's own user against identity. */
function checks(caller: Readonly<CallerConfig>): {
  validate: (token: string) => ReturnType<TokenValidator['validate']>;
  identityUri: string;
} {
  const session = callerSession(caller);
  const tokens = new TokenValidator({ session });
  return { validate: (token) => tokens.validate(token), identityUri: session.identityUrl };
}

const COMPANIONS: Record<string, () => void> = {
  identity: () =>
    runProcess('identity', IdentityProcessConfig, async ({ config, logger, metrics, open }) => {
      // it opens its own database, and waits for it
      const identity = await open('the identity database', () => startIdentity({ config, logger, metrics }));
      const { adminPassword, ...seed } = config.bootstrap;
      if (adminPassword) await identity.bootstrap({ ...seed, adminPassword });
      return identity;
    }),
  image: () =>
    runProcess('image', ImageProcessConfig, ({ config, logger, metrics, open }) =>
      open('the image database', () => startImage({ config, logger, metrics, ...checks(config.caller) })),
    ),
  network: () =>
    runProcess('network', NetworkProcessConfig, ({ config, logger, metrics, open }) =>
      open('the network database', () => startNetwork({ config, logger, metrics, ...checks(config.caller) })),
    ),
  volume: () =>
    runProcess('volume', VolumeProcessConfig, ({ config, logger, metrics, open }) => {
      const images = new ImageClient({ session: callerSession(config.caller) });
      const { caller } = config;
      return open('the volume database', () => startVolume({ config, logger, metrics, images, ...checks(caller) }));
    }),
};

const run = COMPANIONS[process.argv[2] ?? ''];
if (run) run();
else {
  process.stderr.write(`companions: which one? ${Object.keys(COMPANIONS).join(', ')}\n`);
  process.exitCode = 1;
}
