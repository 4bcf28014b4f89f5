// Writes docs/operations/options.md from the services' config classes. With --check: exits 1 when the page is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { loadTs } from './load-ts.mjs';

/** Every service with options: name, file and class of what it needs as a process of its own. */
const SERVICES = [
  ['compute-api', 'apps/compute-api/src/config.ts', 'ComputeApiProcessConfig'],
  ['conductor', 'apps/conductor/src/conductor.config.ts', 'ConductorProcessConfig'],
  ['scheduler', 'apps/scheduler/src/config.ts', 'SchedulerProcessConfig'],
  ['compute-agent', 'apps/compute-agent/src/config.ts', 'ComputeAgentProcessConfig'],
  ['placement', 'apps/placement/src/config.ts', 'PlacementProcessConfig'],
  ['identity', 'apps/companions/src/config.ts', 'IdentityProcessConfig'],
  ['image', 'apps/companions/src/config.ts', 'ImageProcessConfig'],
  ['network', 'apps/companions/src/config.ts', 'NetworkProcessConfig'],
  ['volume', 'apps/companions/src/config.ts', 'VolumeProcessConfig'],
];

const root = resolve(import.meta.dirname, '../..');
const page = resolve(root, 'docs/operations/options.md');

const entry = [
  `import { describeConfig, envPrefix } from '@fractus/config';`,
  ...SERVICES.map(([, file, name], i) => `import { ${name} as C${i} } from './${file}';`),
  `export const tables = [${SERVICES.map(([service], i) => `describeConfig(C${i}, { prefix: envPrefix('${service}') })`).join(', ')}];`,
].join('\n');

const { tables } = await loadTs('options-docs', entry);
const text = `# Options

Made by \`node tools/generators/options-docs.mjs\` from the config classes; do not edit.

Each service reads its options from the environment and from an optional YAML or JSON file, which the variable
\`FRACTUS_<SERVICE>_CONFIG\` names; the environment wins. A variable without the service's
name (\`FRACTUS_RPC_URLS\` for \`FRACTUS_CONDUCTOR_RPC_URLS\`) holds for every service that has such an option and does not set its own. In a file the names of the first column nest (\`quota.cores\` is \`quota: {cores: …}\`). An unknown name, a value of the wrong
kind or a missing option stops the start, and all faults are listed at once. A secret may also stand in a file that the
variable with \`_FILE\` names; secrets are never printed.

${SERVICES.map(([title], i) => `## ${title}\n\n${tables[i]}`).join('\n')}`;
const shaped = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' });

if (process.argv.includes('--check')) {
  let known = '';
  try {
    known = readFileSync(page, 'utf8');
  } catch {
    // told below
  }
  if (known !== shaped) {
    console.error('docs/operations/options.md is out of date: run node tools/generators/options-docs.mjs');
    process.exit(1);
  }
} else {
  mkdirSync(resolve(root, 'docs/operations'), { recursive: true });
  writeFileSync(page, shaped);
}
