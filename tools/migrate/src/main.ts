import 'reflect-metadata';
import { migrate } from './migrate';

migrate(process.argv.slice(2), process.env).then(
  (lines) => lines.forEach((line) => console.log(line)),
  (e: unknown) => {
    console.error(`migrate: ${(e as Error).message}`);
    process.exitCode = 1;
  },
);
