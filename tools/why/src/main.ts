import 'reflect-metadata';
import { CONSOLE } from '@fractus/operator';
import { why } from './program';

process.stdout.on('error', () => process.exit(0));

why(process.argv.slice(2), process.env, CONSOLE).then(
  (code) => process.exit(code),
  (e: unknown) => {
    console.error(`why: ${(e as Error).stack ?? String(e)}`);
    process.exit(255);
  },
);
