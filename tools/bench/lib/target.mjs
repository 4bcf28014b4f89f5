import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export class UsageError extends Error {}

/**
 * Whom to ask, from OS_AUTH_URL and its companions, else from the cloud OS_CLOUD of a clouds.yaml (OS_CLIENT_CONFIG_FILE,
 * ./clouds.yaml, ~/.config/openstack/clouds.yaml, /etc/openstack/clouds.yaml), as the openstack client does.
 */
export async function readTarget(env, options = {}) {
  const fromFile = env.OS_AUTH_URL && !options.cloud ? {} : await readCloud(env, options);
  const auth = fromFile.auth ?? {};
  const target = {
    authUrl: env.OS_AUTH_URL && !options.cloud ? env.OS_AUTH_URL : auth.auth_url,
    username: env.OS_USERNAME ?? auth.username,
    password: env.OS_PASSWORD ?? auth.password,
    project: env.OS_PROJECT_NAME ?? auth.project_name,
    userDomain: env.OS_USER_DOMAIN_NAME ?? auth.user_domain_name ?? 'Default',
    projectDomain: env.OS_PROJECT_DOMAIN_NAME ?? auth.project_domain_name ?? 'Default',
    region: env.OS_REGION_NAME ?? fromFile.region_name,
    computeUrl: options.computeUrl ?? env.COMPUTE_URL,
    placementUrl: options.placementUrl ?? env.PLACEMENT_URL,
    imageUrl: options.imageUrl ?? env.IMAGE_URL,
    configFile: fromFile.configFile,
  };
  for (const [key, variable] of Object.entries(REQUIRED)) {
    if (!target[key]) throw new UsageError(`${variable} is not set, and no clouds.yaml names it`);
  }
  target.authUrl = withVersion(target.authUrl);
  return target;
}

const REQUIRED = {
  authUrl: 'OS_AUTH_URL',
  username: 'OS_USERNAME',
  password: 'OS_PASSWORD',
  project: 'OS_PROJECT_NAME',
};

function withVersion(url) {
  const plain = url.replace(/\/+$/, '');
  return /\/v3$/.test(plain) ? plain : `${plain}/v3`;
}

async function readCloud(env, options) {
  const places = env.OS_CLIENT_CONFIG_FILE
    ? [env.OS_CLIENT_CONFIG_FILE]
    : ['clouds.yaml', join(env.HOME ?? '', '.config/openstack/clouds.yaml'), '/etc/openstack/clouds.yaml'];
  const configFile = places.find((place) => existsSync(place));
  if (!configFile) {
    if (env.OS_CLIENT_CONFIG_FILE)
      throw new UsageError(`OS_CLIENT_CONFIG_FILE names ${env.OS_CLIENT_CONFIG_FILE}, which does not exist`);
    return {};
  }
  const { parse } = await import('yaml'); // only who uses a clouds.yaml needs the package
  const { clouds = {} } = parse(readFileSync(configFile, 'utf8')) ?? {};
  const name = options.cloud ?? env.OS_CLOUD ?? (Object.keys(clouds).length === 1 ? Object.keys(clouds)[0] : undefined);
  if (!name) throw new UsageError(`OS_CLOUD is not set; ${configFile} has ${Object.keys(clouds).join(', ')}`);
  if (!clouds[name])
    throw new UsageError(`${configFile} has no cloud ${name}; it has ${Object.keys(clouds).join(', ')}`);
  return { ...clouds[name], configFile };
}

/** Where a cloud of ours writes the process ids of its services: beside its clouds.yaml. */
export function defaultPidFile({ configFile }) {
  const file = configFile && join(dirname(configFile), 'pids.json');
  return file && existsSync(file) ? file : undefined;
}
