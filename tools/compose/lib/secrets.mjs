// The secrets of a cloud under docker-compose: drawn once, kept in one file, and written out in the form that each service
// reads. What a container gets is only what docker-compose.yml mounts into it.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPermissions, definitions } from '../../services/rabbitmq-rights.mjs';

export const DATABASES = ['compute', 'placement', 'identity', 'image', 'network'];
/** Service users of identity, by the names that upstream's services have. */
const SERVICE_USERS = ['nova', 'glance', 'neutron'];
const PEOPLE = ['admin', 'demo'];
/** Set on the first start alone: people change theirs through identity, root's is changed in MariaDB. */
const KEPT = ['mariadb/root', ...PEOPLE.map((name) => `identity/${name}`)];
const NAMES = [
  'mariadb/root',
  ...DATABASES.map((name) => `mariadb/${name}`),
  'rabbitmq/control',
  'rabbitmq/agent',
  ...[...SERVICE_USERS, ...PEOPLE].map((name) => `identity/${name}`),
];

/**
 * Writes every secret into `folder`/secrets, and `clouds.yaml` beside it for clients of identity at `authUrl`. Passwords
 * that are there stay as they are; with `rotate` those of services are drawn anew. Returns the names of the drawn ones.
 */
export function writeSecrets(folder, { authUrl, rotate = false }) {
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { recursive: true, mode: 0o755 });
  const { passwords, drawn } = draw(join(folder, 'passwords.json'), rotate);
  const service = (name) => passwords[`identity/${name}`];
  const files = {
    'mariadb-root-password': passwords['mariadb/root'],
    'mariadb-users': databaseUsers(passwords),
    'rabbitmq-definitions': JSON.stringify(brokerDefinitions(passwords), null, 2),
    ...Object.fromEntries(
      DATABASES.map((name) => [
        `${name}-database-url`,
        `mysql://fractus_${name}:${passwords[`mariadb/${name}`]}@mariadb:3306/fractus_${name}`,
      ]),
    ),
    'control-rpc-urls': brokerUrl('control', passwords),
    'agent-rpc-urls': brokerUrl('agent', passwords),
    'identity-service-users': JSON.stringify(Object.fromEntries(SERVICE_USERS.map((name) => [name, service(name)]))),
    'admin-password': service('admin'),
    'demo-password': service('demo'),
    ...Object.fromEntries(SERVICE_USERS.map((name) => [`${name}-password`, service(name)])),
  };
  for (const [name, text] of Object.entries(files)) write(join(secrets, name), `${text}\n`, 0o444);
  write(join(folder, 'clouds.yaml'), cloudsYaml(authUrl, service), 0o600);
  return drawn;
}

function draw(file, rotate) {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const stays = (name) => known[name] && (!rotate || KEPT.includes(name));
  const drawn = NAMES.filter((name) => !stays(name));
  const passwords = { ...known };
  for (const name of drawn) passwords[name] = randomBytes(24).toString('base64url');
  if (drawn.length > 0) write(file, `${JSON.stringify(passwords, null, 2)}\n`, 0o600);
  return { passwords, drawn };
}

/** Whole or not at all: a container may be starting from the former one. */
function write(file, text, mode) {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}

/**
 * MariaDB runs this at every start (--init-file, one statement a line): a database and a user for each service, and one
 * without any right for the health check.
 */
function databaseUsers(passwords) {
  const each = DATABASES.flatMap((name) => [
    `CREATE DATABASE IF NOT EXISTS fractus_${name} CHARACTER SET utf8mb4;`,
    `CREATE USER IF NOT EXISTS 'fractus_${name}'@'%';`,
    `ALTER USER 'fractus_${name}'@'%' IDENTIFIED BY '${passwords[`mariadb/${name}`]}';`,
    `GRANT ALL PRIVILEGES ON fractus_${name}.* TO 'fractus_${name}'@'%';`,
  ]);
  return [...each, "CREATE USER IF NOT EXISTS 'health'@'127.0.0.1';"].join('\n');
}

/** Agents share a user: their queues are told apart by name alone, and they reach each other's. */
function brokerDefinitions(passwords) {
  const users = [{ name: 'control' }, { name: 'agent', rights: agentPermissions({ instance: '.*' }) }];
  return definitions(users, Object.fromEntries(users.map(({ name }) => [name, passwords[`rabbitmq/${name}`]])));
}

const brokerUrl = (user, passwords) => `amqp://${user}:${passwords[`rabbitmq/${user}`]}@rabbitmq:5672/%2f`;

/** Entries `fractus` (admin), `fractus-demo` and `fractus-system`; JSON is YAML. */
function cloudsYaml(authUrl, password) {
  const entry = (username, scope) => ({
    auth: { auth_url: authUrl, username, password: password(username), user_domain_id: 'default', ...scope },
    region_name: 'RegionOne',
    identity_api_version: '3',
    interface: 'public',
  });
  const project = (name) => ({ project_name: name, project_domain_id: 'default' });
  const clouds = {
    fractus: entry('admin', project('admin')),
    'fractus-demo': entry('demo', project('demo')),
    'fractus-system': entry('admin', { system_scope: 'all' }),
  };
  return `${JSON.stringify({ clouds }, null, 2)}\n`;
}
