/** The cloud that is looked at: where its parts are, and as whom it is asked. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallerConfig, callerSession, RestSender, type ServiceSession } from '@fractus/clients';
import { loadServiceConfig } from '@fractus/config';
import { invalid, isFractusError, systemContext } from '@fractus/objects';
import { type CloudPlaces, failure, operatorSession, type Outcome, sentenceOf } from '@fractus/operator';
import { parse } from 'yaml';

export const ctx = systemContext('req-upgrade-check');

export interface Cloud {
  readonly places: CloudPlaces;
  readonly env: NodeJS.ProcessEnv;
  /** Placement's endpoint, where it is not the catalog's. */
  readonly placementEndpoint?: string;
  readonly computePolicyFile?: string;
  readonly placementPolicyFile?: string;
}

/** The operator's session, or, where no operator is named, the service user's. `invalid` where neither is. */
export function sessionOf({ env, places }: Cloud): ServiceSession {
  try {
    return operatorSession(env, places.folder);
  } catch (e) {
    if (!isFractusError(e) || env['OS_AUTH_URL'] !== undefined) throw e;
    return serviceSession({ env, places });
  }
}

/** The session of the user as whom services speak to each other; `invalid` `upgrade.service_user` where it is not known. */
export function serviceSession({ env, places }: Pick<Cloud, 'env' | 'places'>): ServiceSession {
  const variables = places.folder === undefined ? env : ofFolder(places.folder);
  try {
    return callerSession(loadServiceConfig(CallerConfig, 'compute-api', variables));
  } catch (cause) {
    throw invalid(
      'the service user is not known: set FRACTUS_AUTH_URL, FRACTUS_USERNAME and FRACTUS_PASSWORD as for compute-api',
      { code: 'upgrade.service_user', cause },
    );
  }
}

type Variables = Record<string, string | undefined>;

/** What the compute-api of the folder's cloud is started with. */
function ofFolder(folder: string): Variables {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  if (existsSync(join(folder, 'cluster.json'))) {
    const { processes = [] } = json('cluster.json') as { processes?: { name: string; env?: Variables }[] };
    return processes.find((p) => p.name.startsWith('compute-api'))?.env ?? {};
  }
  if (!existsSync(join(folder, 'secrets.json')) || !existsSync(join(folder, 'clouds.yaml'))) return {};
  const { clouds } = parse(readFileSync(join(folder, 'clouds.yaml'), 'utf8')) as {
    clouds?: Record<string, { auth?: { auth_url?: string } }>;
  };
  const { servicePassword } = json('secrets.json') as { servicePassword?: string };
  return { FRACTUS_AUTH_URL: clouds?.['fractus']?.auth?.auth_url, FRACTUS_PASSWORD: servicePassword };
}

const sender = new RestSender('neighbour', { timeoutMs: 10_000 });

/** A document that anyone may read, parsed. */
export async function read(url: string): Promise<unknown> {
  return (await sender.send(ctx, { method: 'GET', url })).body;
}

/** What cannot be asked fails the check that asks, with the reason; what is wrong with this command does not. */
export async function orFailure(what: string, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (e) {
    if (!isFractusError(e) || e.kind === 'internal') throw e;
    return failure(`${what}: ${sentenceOf(e)}`);
  }
}
