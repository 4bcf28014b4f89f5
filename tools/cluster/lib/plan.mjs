// What a cluster is made of: each process with its environment. Pure data, so that it can be written down and a single
// process started anew from it.
import { join } from 'node:path';

export const OFFSETS = { identity: 0, compute: 3774, placement: 3778, image: 4292, network: 4696 };
export const DATABASES = ['compute', 'placement', 'identity', 'image', 'network'];
/** Ended in this order: those that take work from outside first, those that others need last. */
export const STOP_ORDER = [
  ['compute-api'],
  ['compute-agent', 'scheduler'],
  ['conductor'],
  ['placement'],
  ['image', 'network'],
  ['identity'],
];

const count = (n, make) => Array.from({ length: n }, (_, i) => make(i + 1));

/** The names `host-1` … dealt out evenly. */
function hostsOf(agent, agents, hosts) {
  const from = Math.floor(((agent - 1) * hosts) / agents);
  const to = Math.floor((agent * hosts) / agents);
  return count(to - from, (i) => `host-${from + i}`).join(',');
}

/**
 * The processes of a cluster. `options.env` holds further options of services, by variable; `free` gives a free port;
 * `secrets`, `databases` (URLs), `brokers` (URLs by user) and `tls` (a folder of certificates, or undefined) are what the
 * services were set up with.
 */
export function processesOf({ options, folder, bind, secrets, databases, brokers, tls, free }) {
  const { portBase } = options;
  if (options.agents > options.hosts)
    throw new Error(`${options.agents} agents cannot share ${options.hosts} host(s): start fewer agents or more hosts`);
  const at = (name, path = '') => `http://${bind}:${portBase + OFFSETS[name]}${path}`;
  const caller = { AUTH_URL: at('identity', '/v3'), PASSWORD: secrets.servicePassword };
  const pem = (name) => join(tls, name);
  const trust = tls
    ? { RPC_CA_FILE: pem('ca.pem'), RPC_CERT_FILE: pem('client.pem'), RPC_KEY_FILE: pem('client.key') }
    : {};
  const rpc = { RPC_URLS: brokers.control, ...trust };
  const compute = { DATABASE_URL: databases.compute };
  /** The first of several listens on the well-known port, the others on a free one. */
  const listen = (name, i = 1) => ({ HOST: bind, PORT: String(i === 1 ? portBase + OFFSETS[name] : free()) });
  const one = (name, app, env, args = []) => ({
    name,
    service: args[0] ?? app,
    app,
    args,
    admin: `http://127.0.0.1:${env.ADMIN_PORT}`,
    ...(env.PORT ? { url: `http://${bind}:${env.PORT}` } : {}),
    env: { ...options.env, ...Object.fromEntries(Object.entries(env).map(([k, v]) => [`FRACTUS_${k}`, v])) },
  });
  const admin = () => ({ ADMIN_PORT: String(free()), LOG_LEVEL: options.logLevel });
  const companion = (name, env) =>
    one(name, 'companions', { ...admin(), ...listen(name), DATABASE_URL: databases[name], ...env }, [name]);
  return [
    companion('identity', {
      TOKEN_KEY_FILE: join(folder, 'keys', 'tokens'),
      BOOTSTRAP_ADMIN_PASSWORD: secrets.adminPassword,
      BOOTSTRAP_DEMO_PASSWORD: secrets.demoPassword,
      BOOTSTRAP_SERVICE_USERS: JSON.stringify({ nova: secrets.servicePassword, placement: secrets.servicePassword }),
      BOOTSTRAP_ENDPOINTS: JSON.stringify({
        identity: at('identity', '/v3'),
        compute: at('compute', '/v2.1'),
        placement: at('placement'),
        image: at('image'),
        network: at('network'),
      }),
    }),
    companion('image', { ...caller, DATA_FOLDER: join(folder, 'images') }),
    companion('network', caller),
    ...count(options.placements, (i) =>
      one(`placement-${i}`, 'placement', {
        ...admin(),
        ...listen('placement', i),
        ...rpc,
        AUTH_URL: caller.AUTH_URL,
        DATABASE_URL: databases.placement,
      }),
    ),
    ...count(options.schedulers, (i) =>
      one(`scheduler-${i}`, 'scheduler', { ...admin(), ...rpc, ...compute, INSTANCE: `scheduler-${i}` }),
    ),
    ...count(options.conductors, (i) =>
      one(`conductor-${i}`, 'conductor', { ...admin(), ...rpc, ...compute, ...caller, INSTANCE: `conductor-${i}` }),
    ),
    ...count(options.agents, (i) =>
      one(`compute-agent-${i}`, 'compute-agent', {
        ...admin(),
        ...trust,
        RPC_URLS: brokers[`compute-agent-${i}`],
        AGENT_ID: `compute-agent-${i}`,
        STATE_DIR: join(folder, 'agents', String(i)),
        HOSTS: hostsOf(i, options.agents, options.hosts),
        SIMULATED_PROFILE: options.simProfile,
      }),
    ),
    ...count(options.apis, (i) =>
      one(`compute-api-${i}`, 'compute-api', { ...admin(), ...listen('compute', i), ...rpc, ...compute, ...caller }),
    ),
  ];
}
