/**
 * As whom operators' commands speak to the APIs: by the OS_* variables that OpenStack's own clients take (OS_CLOUD with
 * OS_CLIENT_CONFIG_FILE among them), or by the clouds.yaml of a state folder; without identity (a Placement in `noauth2` mode) by an endpoint and a token.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EndpointInterface, type ServiceCredentials, ServiceSession } from '@fractus/clients';
import { invalid } from '@fractus/objects';
import { parse } from 'yaml';
import { Api } from './api';
import { usualFolders } from './places';

export interface AccessOptions {
  /** Placement's endpoint, where it is not the catalog's. */
  readonly endpoint?: string;
  /** A token that is sent as it is; needs `endpoint`. */
  readonly token?: string;
  /** The folder of `npm start` or `npm run cluster`, whose clouds.yaml is used where no OS_* variable says otherwise. */
  readonly stateDir?: string;
}

/** From 1.38 on consumers tell their kind, from 1.28 on writes of allocations are guarded. */
const PLACEMENT = { type: 'placement', version: '1.39', least: '1.28' } as const;
/** From 2.59 on migrations tell their uuid. */
const COMPUTE = { type: 'compute', version: '2.90', least: '2.59' } as const;

/** Placement alone. `invalid` `operator.access` names what is missing. */
export function placementApi(env: NodeJS.ProcessEnv, options: AccessOptions = {}): Api {
  const endpoint = options.endpoint ?? env['OS_PLACEMENT_ENDPOINT_OVERRIDE'];
  const token = options.token ?? env['OS_TOKEN'];
  if (token !== undefined) {
    if (endpoint === undefined) throw missing('a token alone does not say where Placement is: give --endpoint URL');
    return new Api({ ...PLACEMENT, fixed: { endpoint, token } });
  }
  const session = operatorSession(env, options.stateDir);
  return new Api({ ...PLACEMENT, session, ...(endpoint ? { endpoint } : {}) });
}

/** The Compute API of the catalog. `invalid` `operator.access` names what is missing. */
export function computeApi(env: NodeJS.ProcessEnv, { stateDir }: AccessOptions = {}): Api {
  return new Api({ ...COMPUTE, session: operatorSession(env, stateDir) });
}

/** The session of the user that the variables name; `invalid` `operator.access` where they name none. */
export function operatorSession(env: NodeJS.ProcessEnv, stateDir?: string): ServiceSession {
  const given = env['OS_AUTH_URL'] === undefined ? ofFile(env, stateDir) : env;
  if (!given)
    throw missing(
      'say as whom: --state-dir FOLDER (of npm run cluster or npm start), or OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, or --endpoint and --token',
    );
  const region = given['OS_REGION_NAME'];
  return new ServiceSession({
    authUrl: given['OS_AUTH_URL'] ?? '',
    credentials: credentialsOf(given),
    interface: interfaceOf(given),
    ...(region ? { region } : {}),
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

function credentialsOf(given: Variables): ServiceCredentials {
  const id = given['OS_APPLICATION_CREDENTIAL_ID'];
  if (id) {
    const applicationCredentialSecret = needed(given, 'OS_APPLICATION_CREDENTIAL_SECRET');
    return { applicationCredentialId: id, applicationCredentialSecret };
  }
  return {
    username: needed(given, 'OS_USERNAME'),
    password: needed(given, 'OS_PASSWORD'),
    projectName: needed(given, 'OS_PROJECT_NAME'),
    userDomainId: domainOf(given, 'USER'),
    projectDomainId: domainOf(given, 'PROJECT'),
  };
}

function domainOf(given: Variables, whose: 'USER' | 'PROJECT'): string {
  const id = given[`OS_${whose}_DOMAIN_ID`];
  if (id) return id;
  const name = given[`OS_${whose}_DOMAIN_NAME`] ?? 'Default';
  if (name.toLowerCase() === 'default') return 'default';
  throw missing(`the domain ${name} is not looked up by its name: give OS_${whose}_DOMAIN_ID`);
}

function interfaceOf(given: Variables): EndpointInterface {
  const side = (given['OS_INTERFACE'] ?? 'public').replace(/URL$/, '');
  if (side === 'public' || side === 'internal' || side === 'admin') return side;
  throw missing(`OS_INTERFACE is public, internal or admin, not ${side}`);
}

function needed(given: Variables, name: string): string {
  const value = given[name];
  if (value) return value;
  throw missing(`${name} is not set`);
}

/**
 * An entry of a clouds.yaml, as variables: the administrator's of the given folder; else the one that the clients'
 * variables name; else the administrator's of the one state folder that is here.
 */
function ofFile(env: NodeJS.ProcessEnv, stateDir: string | undefined): Variables | undefined {
  const named = stateDir === undefined ? env['OS_CLIENT_CONFIG_FILE'] : undefined;
  const folders = stateDir === undefined ? usualFolders('clouds.yaml') : [stateDir];
  const file = named ?? (folders.length === 1 ? join(folders[0] ?? '', 'clouds.yaml') : undefined);
  if (file === undefined || !existsSync(file)) return undefined;
  type Entry = { auth?: Record<string, string>; region_name?: string; interface?: string };
  const { clouds } = parse(readFileSync(file, 'utf8')) as { clouds?: Record<string, Entry> };
  const entry = (named === undefined ? undefined : env['OS_CLOUD']) ?? 'fractus';
  const found = clouds?.[entry];
  if (!found) throw missing(`${file} has no cloud ${entry}`);
  const variables = Object.entries(found.auth ?? {}).map(([name, value]) => [`OS_${name.toUpperCase()}`, value]);
  return { ...Object.fromEntries(variables), OS_REGION_NAME: found.region_name, OS_INTERFACE: found.interface };
}

const missing = (sentence: string): Error => invalid(sentence, { code: 'operator.access' });
