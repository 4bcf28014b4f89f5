/** A cloud of clouds.yaml as the OS_* variables that say the same. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { invalid } from '@fractus/objects';
import { parse } from 'yaml';

interface Entry {
  readonly auth?: Readonly<Record<string, string>>;
  readonly region_name?: string;
  readonly interface?: string;
}

/** Where OpenStack's own clients look, in their order. */
const filesOf = (env: NodeJS.ProcessEnv): string[] => [
  ...(env['OS_CLIENT_CONFIG_FILE'] ? [env['OS_CLIENT_CONFIG_FILE']] : []),
  'clouds.yaml',
  join(homedir(), '.config/openstack/clouds.yaml'),
  '/etc/openstack/clouds.yaml',
];

/** @throws invalid `operator.access` where no file has the cloud. */
export function variablesOfCloud(name: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const files = filesOf(env).filter((file) => existsSync(file));
  for (const file of files) {
    const { clouds = {} } = (parse(readFileSync(file, 'utf8')) ?? {}) as { clouds?: Record<string, Entry> };
    const entry = clouds[name];
    if (!entry) continue;
    const auth = Object.entries(entry.auth ?? {}).map(([key, value]) => [`OS_${key.toUpperCase()}`, value]);
    return {
      ...(Object.fromEntries(auth) as NodeJS.ProcessEnv),
      ...(entry.region_name ? { OS_REGION_NAME: entry.region_name } : {}),
      ...(entry.interface ? { OS_INTERFACE: entry.interface } : {}),
    };
  }
  throw invalid(`there is no cloud ${name} in ${files.join(', ') || 'any clouds.yaml'}`, { code: 'operator.access' });
}
