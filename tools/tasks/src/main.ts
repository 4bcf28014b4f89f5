import 'reflect-metadata';
import { CONSOLE } from '@fractus/operator';
import { tasks } from './program';

// a list that is piped into `head` is no fault
process.stdout.on('error', () => process.exit(0));

tasks(process.argv.slice(2), process.env, CONSOLE).then(
  // a connection that is still being made must not keep a finished command
  (code) => process.exit(code),
  (e: unknown) => {
    console.error(`tasks: ${(e as Error).stack ?? String(e)}`);
    process.exit(1);
  },
);
