/**
 * Where the parts of a cloud are. A state folder says it all: the one of `npm run cluster` by its cluster.json, the one
 * of `npm start` by its databases. Without a folder it is the environment, by the variables that the processes have
 * (FRACTUS_OPERATOR_… where the tools are to have others), or the command line.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadServiceConfig } from '@fractus/config';
import { invalid } from '@fractus/objects';
import { OperatorConfig } from './config';

export const DATABASE_NAMES = ['compute', 'placement', 'identity', 'image', 'network'] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];

export interface ProcessPlace {
  readonly name: string;
  /** Base URL of its admin listener. */
  readonly admin: string;
}

/** `embedded`: all in one process, without a broker. */
export type CloudKind = 'embedded' | 'distributed';

export interface CloudPlaces {
  readonly kind: CloudKind;
  /** The state folder it was found by. */
  readonly folder?: string;
  readonly databases: Readonly<Partial<Record<DatabaseName, string>>>;
  readonly rpc?: Readonly<OptionalRpc>;
  readonly processes: readonly ProcessPlace[];
}
type OptionalRpc = OperatorConfig['rpc'] & { urls: string[] };

export interface PlaceOptions {
  readonly stateDir?: string;
  /** Compute's database. */
  readonly database?: string;
  /** Broker URLs with commas in between. */
  readonly rpc?: string;
}

/** Folders looked for in the present one when nothing is said. */
const USUAL = ['.fractus-cluster', '.fractus'];

/** The usual folders of the present one that hold the file. */
export const usualFolders = (file: string, folder = process.cwd()): string[] =>
  USUAL.map((name) => join(folder, name)).filter((path) => existsSync(join(path, file)));

/** `invalid` `operator.places` with what can be given, when nothing is known of any cloud or a folder holds none. */
export function findCloud(options: PlaceOptions, env: NodeJS.ProcessEnv, folder = process.cwd()): CloudPlaces {
  if (options.stateDir !== undefined) return ofFolder(resolve(folder, options.stateDir), options, env);
  const given = ofEnvironment(options, env);
  if (given.rpc || Object.keys(given.databases).length > 0 || given.processes.length > 0) return given;
  const found = USUAL.map((name) => join(folder, name)).filter(holdsCloud);
  if (found.length === 1 && found[0] !== undefined) return ofFolder(found[0], options, env);
  throw invalid(
    found.length > 1
      ? `both ${USUAL.join(' and ')} are here: say which by --state-dir`
      : `say which cloud: --state-dir FOLDER (of npm run cluster or npm start), or --database URL or FRACTUS_DATABASE_URL, and --rpc URL or FRACTUS_RPC_URLS`,
    { code: 'operator.places' },
  );
}

const clusterFile = (folder: string): string => join(folder, 'cluster.json');
const databaseFile = (folder: string, name: string): string => join(folder, 'databases', `${name}.db`);
const holdsCloud = (folder: string): boolean =>
  existsSync(clusterFile(folder)) || existsSync(databaseFile(folder, 'compute'));

/** The command line and the environment still win over what the folder says. */
function ofFolder(folder: string, options: PlaceOptions, env: NodeJS.ProcessEnv): CloudPlaces {
  if (!holdsCloud(folder))
    throw invalid(`${folder} is no state folder: it holds neither cluster.json nor databases/compute.db`, {
      code: 'operator.places',
    });
  const cluster = existsSync(clusterFile(folder));
  const inFolder = cluster ? ofCluster(folder) : ofEmbedded(folder);
  const overrides: Record<string, string> = {};
  for (const name of DATABASE_NAMES) {
    const url = inFolder.databases[name];
    if (url !== undefined) overrides[VARIABLES[name]] = url;
  }
  Object.assign(overrides, inFolder.broker);
  // what the surroundings say is of some other cloud: only what they say of the operator counts
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('FRACTUS_OPERATOR_')));
  const { databases, rpc } = ofEnvironment(options, { ...overrides, ...own });
  return {
    kind: cluster ? 'distributed' : 'embedded',
    folder,
    databases,
    ...(rpc ? { rpc } : {}),
    processes: inFolder.processes,
  };
}

const VARIABLES: Record<DatabaseName, string> = {
  compute: 'FRACTUS_OPERATOR_DATABASE_URL',
  placement: 'FRACTUS_OPERATOR_PLACEMENT_DATABASE_URL',
  identity: 'FRACTUS_OPERATOR_IDENTITY_DATABASE_URL',
  image: 'FRACTUS_OPERATOR_IMAGE_DATABASE_URL',
  network: 'FRACTUS_OPERATOR_NETWORK_DATABASE_URL',
};

interface InFolder {
  readonly databases: Partial<Record<DatabaseName, string>>;
  /** Variables by which the broker is reached. */
  readonly broker?: Readonly<Record<string, string>>;
  readonly processes: readonly ProcessPlace[];
}

function ofEmbedded(folder: string): InFolder {
  const there = DATABASE_NAMES.filter((name) => existsSync(databaseFile(folder, name)));
  return {
    databases: Object.fromEntries(there.map((name) => [name, `sqlite:${databaseFile(folder, name)}`])),
    processes: [],
  };
}

interface ClusterFile {
  readonly databases?: Partial<Record<DatabaseName, string>>;
  readonly processes?: readonly (ProcessPlace & { readonly env?: Readonly<Record<string, string>> })[];
}

function ofCluster(folder: string): InFolder {
  let state: ClusterFile;
  try {
    state = JSON.parse(readFileSync(clusterFile(folder), 'utf8')) as ClusterFile;
  } catch (cause) {
    throw invalid(`cannot read ${clusterFile(folder)}: ${(cause as Error).message}`, {
      code: 'operator.places',
      cause,
    });
  }
  const { databases = {}, processes = [] } = state;
  // as conductors reach it: as the user whose word they take, and with the same certificates
  const conductor = processes.find(({ name }) => name.startsWith('conductor'))?.env ?? {};
  const rpc = Object.entries(conductor).filter(([name]) => name.startsWith('FRACTUS_RPC_'));
  return {
    databases,
    broker: Object.fromEntries(rpc.map(([name, value]) => [name.replace('FRACTUS_', 'FRACTUS_OPERATOR_'), value])),
    processes: processes.map(({ name, admin }) => ({ name, admin })),
  };
}

function ofEnvironment({ database, rpc }: PlaceOptions, env: NodeJS.ProcessEnv): CloudPlaces {
  const config = loadServiceConfig(OperatorConfig, 'operator', {
    ...env,
    ...(database === undefined ? {} : { FRACTUS_OPERATOR_DATABASE_URL: database }),
    ...(rpc === undefined ? {} : { FRACTUS_OPERATOR_RPC_URLS: rpc }),
  });
  const databases: Partial<Record<DatabaseName, string>> = {};
  for (const name of DATABASE_NAMES) {
    const url = config[`${name}Url`];
    if (url !== undefined) databases[name] = url;
  }
  const { urls } = config.rpc;
  const embedded = urls === undefined && databases.compute?.startsWith('sqlite:') === true;
  return {
    kind: embedded ? 'embedded' : 'distributed',
    databases,
    ...(urls === undefined ? {} : { rpc: { ...config.rpc, urls } }),
    processes: config.adminUrls.map((entry) => {
      const at = entry.indexOf('=');
      return { name: entry.slice(0, at), admin: entry.slice(at + 1).replace(/\/+$/, '') };
    }),
  };
}
