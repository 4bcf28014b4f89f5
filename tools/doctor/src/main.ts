import 'reflect-metadata';
import { CONSOLE } from '@fractus/operator';
import { doctor } from './program';

process.stdout.on('error', () => process.exit(0));

doctor(process.argv.slice(2), process.env, CONSOLE).then(
  // a connection that is still being made must not keep a finished command
  (code) => process.exit(code),
  (e: unknown) => {
    console.error(`doctor: ${(e as Error).stack ?? String(e)}`);
    process.exit(2);
  },
);
