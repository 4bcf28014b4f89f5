import { connect, credentials, type Channel, type ChannelModel, type SocketOptions } from 'amqplib';
import type { FractusError } from '@fractus/objects';
import { GOODBYE_MS, silenced, within } from './channels';
import { brokerError, closed, connectionLost, isSetupError } from './failures';
import type { RabbitSettings } from './options';

export interface LinkEvents {
  /** Makes channels on a new connection; the link is up when it has resolved. */
  up(connection: ChannelModel): Promise<void>;
  /** After that: `current` is the connection. */
  ready?(): void;
  down(): void;
  blocked?(is: boolean): void;
}

interface Waiter {
  resolve(connection: ChannelModel): void;
  reject(e: FractusError): void;
}

const PAUSE_MS = { first: 100, most: 5000, mostRefused: 30_000 };

/**
 * A connection that is made again whenever it is lost, with growing pauses and jitter so that a restarted broker is not
 * stormed. What the broker refuses (a wrong password, a queue of other arguments) is logged as an error every time and
 * tried again less and less often: an operator may mend it at the broker while we run.
 */
export class RabbitLink {
  private connection: ChannelModel | undefined;
  private isBlocked = false;
  private failure: FractusError | undefined;
  private closing = false;
  private running: Promise<void> | undefined;
  private wake: () => void = () => undefined;
  private readonly waiters = new Set<Waiter>();

  constructor(
    private readonly settings: RabbitSettings,
    private readonly role: 'publish' | 'consume',
    private readonly events: LinkEvents,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** The connection while it is up. */
  get current(): ChannelModel | undefined {
    return this.connection;
  }

  get blocked(): boolean {
    return this.isBlocked;
  }

  /** Why the link is down, where an attempt has failed. */
  get why(): FractusError | undefined {
    return this.connection ? undefined : this.failure;
  }

  /** The connection once it is up; rejects at once with a refusal, after `ms` with the last failure. */
  whenUp(ms: number): Promise<ChannelModel> {
    if (this.connection) return Promise.resolve(this.connection);
    if (this.closing) return Promise.reject(closed());
    if (isSetupError(this.failure)) return Promise.reject(this.failure as FractusError);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        resolve: (connection) => (end(), resolve(connection)),
        reject: (e) => (end(), reject(e)),
      };
      const timer = setTimeout(() => waiter.reject(this.failure ?? connectionLost()), ms);
      this.waiters.add(waiter);
    });
  }

  /** A channel for a few questions; the caller closes it. */
  async channel(ms: number): Promise<Channel> {
    const connection = await this.whenUp(ms);
    try {
      return silenced(await connection.createChannel());
    } catch (e) {
      throw brokerError(e);
    }
  }

  /** Gives up the connection and makes a new one: something on it went wrong. */
  reset(cause: unknown): void {
    if (!this.connection || this.closing) return;
    this.failure = brokerError(cause);
    void this.connection.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.closing = true;
    for (const waiter of [...this.waiters]) waiter.reject(closed());
    this.wake();
    const connection = this.connection;
    if (connection) {
      await goodbye(connection);
      drop(connection); // a half-open one would never answer
    }
    await this.running;
  }

  private async run(): Promise<void> {
    let failures = 0;
    for (let turn = Math.floor(Math.random() * this.settings.urls.length); !this.closing; turn++) {
      try {
        await this.once(this.settings.urls[turn % this.settings.urls.length]);
        failures = 0;
      } catch (e) {
        this.failed(brokerError(e), ++failures);
      }
      if (!this.closing) await this.pause(failures);
    }
  }

  /** From the attempt to the end of the connection; rejects when it never was up. */
  private async once(url: string): Promise<void> {
    const connection = await connect(this.withHeartbeat(url), this.socketOptions());
    const ended = new Promise<void>((resolve) => connection.once('close', () => resolve()));
    connection.on('error', (e) => (this.failure = brokerError(e)));
    connection.on('blocked', () => this.setBlocked(true));
    connection.on('unblocked', () => this.setBlocked(false));
    try {
      if (this.closing) throw closed();
      await this.events.up(connection);
      if (this.closing) throw closed();
    } catch (e) {
      this.events.down();
      await goodbye(connection);
      drop(connection);
      throw e;
    }
    this.connection = connection;
    this.failure = undefined;
    for (const waiter of [...this.waiters]) waiter.resolve(connection);
    this.events.ready?.();
    await ended;
    drop(connection);
    this.connection = undefined;
    this.isBlocked = false;
    if (!this.closing) this.log('lost', this.failure);
    this.events.down();
  }

  private failed(e: FractusError, failures: number): void {
    this.failure = e;
    const refused = isSetupError(e);
    if (this.closing) return;
    if (refused || failures === 1 || failures % 10 === 0) this.log(refused ? 'refused' : 'not to be had', e);
    if (refused) for (const waiter of [...this.waiters]) waiter.reject(e);
  }

  private log(what: string, e: FractusError | undefined): void {
    const fields = { err: e, role: this.role };
    const text = `the RabbitMQ connection is ${what}${e ? `: ${e.message}` : ''}`;
    if (isSetupError(e)) this.settings.logger.error(fields, text);
    else this.settings.logger.warn(fields, text);
  }

  private setBlocked(is: boolean): void {
    this.isBlocked = is;
    if (is) this.settings.logger.warn({ role: this.role }, 'RabbitMQ takes no messages: it is short of memory or disk');
    this.events.blocked?.(is);
  }

  private async pause(failures: number): Promise<void> {
    const most = isSetupError(this.failure) ? PAUSE_MS.mostRefused : PAUSE_MS.most;
    const ms = Math.min(PAUSE_MS.first * 2 ** Math.min(failures, 20), most) * (0.5 + Math.random() / 2);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => (clearTimeout(timer), resolve());
    });
  }

  private withHeartbeat(url: string): string {
    const whole = new URL(url);
    whole.searchParams.set('heartbeat', String(this.settings.heartbeatSeconds));
    return whole.href;
  }

  private socketOptions(): SocketOptions {
    const { user, password, tls, name, connectTimeoutMs } = this.settings;
    return {
      ...tls,
      noDelay: true, // else a small message waits 40 ms for the acknowledgement of the one before
      timeout: connectTimeoutMs,
      credentials: credentials.plain(user, password),
      clientProperties: { product: 'fractus', connection_name: `${name} (${this.role})` },
    };
  }
}

const goodbye = (connection: ChannelModel): Promise<void> =>
  within(
    GOODBYE_MS,
    connection.close().catch(() => undefined),
  );

/** Ends the socket without a farewell, which on a half-open connection would wait for ever. */
function drop(connection: ChannelModel): void {
  const { stream } = connection.connection as { stream?: { destroy?(e: Error): void } };
  stream?.destroy?.(new Error('given up')); // with an error, for by that amqplib learns of it and stops its timers
}
