// Who may do what at a broker: what RabbitMQ's definitions say of the control plane's users and of agents'.
import { createHash, randomBytes } from 'node:crypto';

/**
 * What an agent's user may do, as RabbitMQ's definitions say it: its own queues, the exchanges that everybody declares,
 * replies (amq.default); bindings for its hosts only, messages to conductor, Placement and the scheduler's news.
 * `instance` is the agent's id as a regular expression: `.*` for agents that share a user.
 */
export function agentPermissions({ instance, prefix = 'fractus' }) {
  const own = `compute@${instance}(\\.calls|\\.retry\\.[0-9]+)?`;
  const common = 'casts|calls|dead|scheduler-news\\.news';
  const named = (names) => `^(${prefix}\\.(${names})|amq\\.gen-.*|amq\\.default)$`;
  return {
    permissions: {
      configure: named(`${common}|dead\\.letters|${own}`),
      write: named(`${common}|dead\\.letters|${own}`),
      read: named(`casts|calls|dead|${own}`), // dead is the exchange; the letters are for operators
    },
    topics: ['casts', 'calls'].map((exchange) => ({
      exchange: `${prefix}.${exchange}`,
      write: '^(conductor|placement|scheduler)$',
      read: '^compute\\.',
    })),
  };
}

const ALL = { permissions: { configure: '.*', write: '.*', read: '.*' }, topics: [] };

/** A definitions file for users of the virtual host /; also for `load_definitions` of a broker that starts. */
export function definitions(users, passwords) {
  const rights = users.map(({ name, rights = ALL }) => ({ user: name, vhost: '/', ...rights }));
  return {
    users: users.map(({ name, tags = [] }) => ({
      name,
      password_hash: passwordHash(passwords[name]),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags,
    })),
    vhosts: [{ name: '/' }],
    permissions: rights.map(({ user, vhost, permissions }) => ({ user, vhost, ...permissions })),
    topic_permissions: rights.flatMap(({ user, vhost, topics }) => topics.map((topic) => ({ user, vhost, ...topic }))),
  };
}

/** Base64 of a salt of four bytes and SHA-256 of salt and password, as RabbitMQ keeps it. */
function passwordHash(password) {
  const salt = randomBytes(4);
  const hash = createHash('sha256').update(salt).update(password, 'utf8').digest();
  return Buffer.concat([salt, hash]).toString('base64');
}

/** The rights of the agent whose id is its user's name. */
export const agentRights = (name, prefix) => agentPermissions({ instance: name.replace(/\./g, '\\.'), prefix });

/** What gives a user of any broker, known as the agent's own id, the rights of an agent. */
export function rightsInWords(name, prefix) {
  const { permissions, topics } = agentRights(name, prefix);
  const { configure, write, read } = permissions;
  return [
    `rabbitmqctl set_permissions -p / ${name} '${configure}' '${write}' '${read}'`,
    ...topics.map((t) => `rabbitmqctl set_topic_permissions -p / ${name} ${t.exchange} '${t.write}' '${t.read}'`),
  ];
}
