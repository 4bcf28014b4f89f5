import 'reflect-metadata';
import { CONSOLE, EXIT } from '@fractus/operator';
import { upgradeCheckOfCloud } from './program';

process.stdout.on('error', () => process.exit(0));

upgradeCheckOfCloud(process.argv.slice(2), process.env, CONSOLE).then(
  // a connection that is still being made must not keep a finished command
  (code) => process.exit(code),
  (e: unknown) => {
    console.error(`upgrade-check: ${(e as Error).stack ?? String(e)}`);
    process.exit(EXIT.unexpected);
  },
);
