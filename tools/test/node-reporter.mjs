// For suites of `node --test`: prints failures and leaves a report where `npm test` adds up what jest's suites left.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const results = resolve(import.meta.dirname, '../../tmp/test-results');
/** Nx names the project that it runs a target of. */
const project = process.env.NX_TASK_TARGET_PROJECT ?? 'node-test';

export default async function* report(source) {
  const total = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0 };
  for await (const { type, data } of source) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    if (data.skip || data.todo) total.numPendingTests++;
    else if (type === 'test:pass') total.numPassedTests++;
    else {
      total.numFailedTests++;
      yield `failed: ${data.name} (${data.file}:${data.line})\n${data.details.error.cause?.stack ?? data.details.error}\n`;
    }
  }
  mkdirSync(results, { recursive: true });
  writeFileSync(resolve(results, `${project}.json`), JSON.stringify(total));
  yield `${project}: ${total.numPassedTests} passed, ${total.numFailedTests} failed\n`;
}
