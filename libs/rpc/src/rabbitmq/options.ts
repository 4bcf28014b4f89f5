import type { SecureContextOptions } from 'node:tls';
import { nestLogger } from '../logger';
import type { RpcLogger } from '../transport';

export interface RabbitOptions {
  /** `amqp://user:password@host:port/vhost` or `amqps://…`; of several, one that answers is used, as the first's user. */
  readonly urls: readonly string[];
  /** Over those of the URLs. The user is also what receivers see as `sender`. */
  readonly user?: string;
  readonly password?: string;
  /** For `amqps`: authorities to trust, own certificate and key. */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase'> & { readonly servername?: string };
  /** What every exchange and queue is named after; clouds that share a virtual host need different ones. `fractus`. */
  readonly prefix?: string;
  /** How the connection is called in the broker's lists. */
  readonly name?: string;
  /** A peer silent for twice as long is given up; seconds, 10. */
  readonly heartbeatSeconds?: number;
  /** Milliseconds to wait for a connection to be made: 5000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds that a cast or `consume` waits for the broker before it rejects with `unavailable`: 30 000. */
  readonly patienceMs?: number;
  /** Unanswered calls; more reject with `unavailable`. 10 000. */
  readonly maxPendingCalls?: number;
  /** Casts that the broker has not confirmed; more reject with `unavailable`. 10 000. */
  readonly maxUnconfirmedCasts?: number;
  /** Casts that wait in one queue; more reject with `unavailable`. Must be the same in every process: 100 000. */
  readonly maxQueued?: number;
  /** Deliveries of one cast before it is dead-lettered: 5. */
  readonly deliveryLimit?: number;
  /** Must be the same in every process: 10 000. */
  readonly maxDeadLetters?: number;
  /** Pause before delivery `attempt + 1`; rounded up to the next of a few fixed pauses. */
  readonly retryDelayMs?: (attempt: number) => number;
  /**
   * Users whose word is taken on who sent a cast first, beside the receiver's own user: operators that send dead
   * letters again. None.
   */
  readonly trustedUsers?: readonly string[];
  readonly logger?: RpcLogger;
}

export type RabbitSettings = Required<Omit<RabbitOptions, 'user' | 'password' | 'tls'>> & {
  readonly user: string;
  readonly password: string;
  readonly tls: RabbitOptions['tls'];
};

const BACKOFF_MS = { first: 200, most: 30_000 };

/** Throws TypeError for what no broker could satisfy. */
export function settingsOf(options: RabbitOptions): RabbitSettings {
  const [first] = options.urls.map((url) => new URL(url));
  if (!first) throw new TypeError('the RabbitMQ transport needs at least one URL');
  for (const url of options.urls) {
    if (!/^amqps?:\/\//.test(url)) throw new TypeError('a RabbitMQ URL begins with amqp:// or amqps://');
  }
  return {
    prefix: 'fractus',
    name: 'fractus',
    heartbeatSeconds: 10,
    connectTimeoutMs: 5000,
    patienceMs: 30_000,
    maxPendingCalls: 10_000,
    maxUnconfirmedCasts: 10_000,
    maxQueued: 100_000,
    deliveryLimit: 5,
    maxDeadLetters: 10_000,
    retryDelayMs: (attempt) => Math.min(BACKOFF_MS.first * 2 ** (attempt - 1), BACKOFF_MS.most),
    trustedUsers: [],
    logger: nestLogger(),
    tls: undefined,
    ...defined(options),
    user: options.user ?? (decodeURIComponent(first.username) || 'guest'),
    password: options.password ?? (decodeURIComponent(first.password) || 'guest'),
  };
}

/** Without the keys of value undefined, which would hide the defaults. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
