/**
 * One scheme for every service: its variables begin with FRACTUS_ and its own name, and the variable of that prefix
 * that ends in CONFIG names an optional file. A variable without the service's name (FRACTUS_RPC_URLS) holds for every
 * service that has such an option and does not set its own.
 */
import { loadConfig, type DeepPartial } from './load-config';
import type { Constructor } from './option';

/** `FRACTUS_COMPUTE_API_` for `compute-api`. */
export const envPrefix = (service: string): string => `FRACTUS_${service.toUpperCase().replace(/-/g, '_')}_`;

const COMMON_PREFIX = 'FRACTUS_';

/**
 * A service's options from the environment and from the file that `FRACTUS_<SERVICE>_CONFIG` names, if any; `overrides`
 * win over both. Throws as `loadConfig` does.
 */
export function loadServiceConfig<T extends object>(
  type: Constructor<T>,
  service: string,
  env: Readonly<Record<string, string | undefined>>,
  overrides?: DeepPartial<T>,
): Readonly<T> {
  const prefix = envPrefix(service);
  const file = env[`${prefix}CONFIG`];
  return loadConfig<T>(type, {
    env,
    prefix,
    commonPrefix: COMMON_PREFIX,
    ...(file ? { file } : {}),
    ...(overrides ? { overrides } : {}),
  });
}
