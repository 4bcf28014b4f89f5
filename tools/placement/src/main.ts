import 'reflect-metadata';
import { CONSOLE, EXIT } from '@fractus/operator';
import { placement } from './program';

process.stdout.on('error', () => process.exit(0));

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

placement(process.argv.slice(2), process.env, CONSOLE, { signal: stop.signal }).then(
  // a connection that is still being made must not keep a finished command
  (code) => process.exit(code),
  (e: unknown) => {
    console.error(`placement: ${(e as Error).stack ?? String(e)}`);
    process.exit(EXIT.unexpected);
  },
);
