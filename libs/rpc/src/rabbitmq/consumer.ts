import { AsyncResource } from 'node:async_hooks';
import type { ChannelModel } from 'amqplib';
import { isFractusError, unavailable } from '@fractus/objects';
import type { ConsumeOptions, Consumer, Delivery } from '../transport';
import { brokerError, closed, isSetupError } from './failures';
import type { RabbitLink } from './link';
import { Session, type SessionParts } from './session';
import { routingKey } from './topology';

const PAUSE_MS = { first: 200, most: 5000, mostRefused: 30_000 };
/** How long the moves under way hold up a close. */
const CLOSE_MS = 5000;

/** A consumer that outlives its connections: on each new one it declares, binds and consumes anew. */
export class RabbitConsumer implements Consumer {
  private readonly hosts = new Set<string>();
  /** Removed while there was no session to say it to: bindings outlive a connection. */
  private readonly gone = new Set<string>();
  private session: Session | undefined;
  private state: 'open' | 'stopped' | 'ended' = 'open';
  private attaching: Promise<void> | undefined;
  private cancelPause: () => void = () => undefined;
  // handlers must not run in the async context of whoever made the connection
  private readonly scope = new AsyncResource('FractusRabbitConsumer');
  private readonly deliver: (d: Delivery) => void;

  constructor(
    private readonly parts: SessionParts,
    private readonly link: RabbitLink,
    private readonly options: ConsumeOptions,
    deliver: (d: Delivery) => void,
    private readonly ended: (consumer: RabbitConsumer) => void,
  ) {
    this.deliver = (d) => this.scope.runInAsyncScope(deliver, undefined, d);
  }

  /** Whether messages can reach it, or need not. */
  get attached(): boolean {
    return this.session !== undefined || this.state !== 'open';
  }

  /**
   * The first time: rejects with a refusal at once, with `conflict` where the agent's queue stays taken for as long as
   * the broker may take to notice that its former process is gone, otherwise after `patienceMs`.
   */
  async start(): Promise<void> {
    const { patienceMs, heartbeatSeconds } = this.parts.settings;
    const begun = Date.now();
    for (let failures = 1; ; failures++) {
      const connection = await this.link.whenUp(Math.max(begun + patienceMs - Date.now(), 0));
      if (this.state !== 'open') throw closed();
      try {
        return await this.attach(connection);
      } catch (e) {
        const left = isFractusError(e, 'conflict')
          ? begun + heartbeatSeconds * 2500 - Date.now()
          : isSetupError(e)
            ? 0
            : begun + patienceMs - Date.now();
        if (left <= 0) throw e;
        await this.pause(Math.min(left, this.pauseAfter(failures, e)));
      }
    }
  }

  /** A new connection, or the end of a part of the session. Never rejects. */
  reattach(): void {
    this.attaching ??= this.attachAnyhow().finally(() => {
      this.attaching = undefined;
      if (this.link.current && !this.attached) this.reattach();
    });
  }

  connectionLost(): void {
    const session = this.session;
    this.session = undefined;
    void session?.end();
  }

  async addHost(host: string): Promise<void> {
    routingKey({ topic: this.options.topic, host });
    if (this.state !== 'open' || this.options.queue !== 'agent')
      throw unavailable(`The consumer of ${this.options.topic} has stopped`, { code: 'rpc.stopped' });
    this.hosts.add(host); // from now on every new session binds it
    this.gone.delete(host);
    try {
      await this.session?.bind(host);
    } catch (e) {
      const error = brokerError(e);
      if (isSetupError(error)) this.hosts.delete(host);
      throw error;
    }
  }

  async removeHost(host: string): Promise<void> {
    this.hosts.delete(host);
    this.gone.add(host);
    try {
      if (!this.session) return;
      await this.session.unbind(host);
      this.gone.delete(host);
    } catch (e) {
      throw brokerError(e);
    }
  }

  async stop(): Promise<void> {
    if (this.state === 'open') this.state = 'stopped';
    this.cancelPause();
    await this.session?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.state === 'ended') return;
    await this.session?.close(CLOSE_MS);
    await this.finish();
  }

  async kill(): Promise<void> {
    await this.finish();
  }

  private async finish(): Promise<void> {
    this.state = 'ended';
    this.cancelPause();
    const session = this.session;
    this.session = undefined;
    await session?.end();
    this.ended(this);
  }

  private async attach(connection: ChannelModel): Promise<void> {
    const lost = (e: unknown): void => this.sessionBroken(session, e);
    const { parts, options, deliver } = this;
    const bound = new Set(this.hosts);
    let session: Session | undefined = undefined;
    session = await Session.open(parts, connection, options, bound, deliver, lost);
    if (this.state !== 'open' || this.link.current !== connection) {
      await session.end();
      throw this.state === 'open' ? brokerError(new Error('lost during set-up')) : closed();
    }
    this.session = session; // from here on it is told itself of hosts that come and go
    try {
      await this.catchUp(session, bound);
    } catch (e) {
      if (this.session === session) this.session = undefined;
      await session.end();
      throw brokerError(e);
    }
  }

  /** Binds what came, and unbinds what went, while the session was being opened with `bound`. */
  private async catchUp(session: Session, bound: ReadonlySet<string>): Promise<void> {
    const came = [...this.hosts].filter((host) => !bound.has(host));
    const went = [...this.gone];
    await Promise.all([...came.map((host) => session.bind(host)), ...went.map((host) => session.unbind(host))]);
    for (const host of went) this.gone.delete(host);
  }

  private async attachAnyhow(): Promise<void> {
    for (let failures = 1; this.state === 'open' && !this.session; failures++) {
      const connection = this.link.current;
      if (!connection) return; // the next connection calls again
      try {
        return await this.attach(connection);
      } catch (err) {
        if (this.state !== 'open') return;
        const fields = { err, topic: this.options.topic };
        const text = `RPC of ${this.options.topic} cannot be consumed`;
        if (isSetupError(err)) this.parts.settings.logger.error(fields, text);
        else this.parts.settings.logger.warn(fields, text);
        await this.pause(this.pauseAfter(failures, err));
      }
    }
  }

  private sessionBroken(session: Session | undefined, err: unknown): void {
    if (!session || this.session !== session) return; // during set-up the opening itself rejects
    this.parts.settings.logger.warn({ err, topic: this.options.topic }, 'RabbitMQ ended a consumer');
    this.session = undefined;
    void session.end();
    this.reattach();
  }

  private pauseAfter(failures: number, e: unknown): number {
    const most = isSetupError(e) ? PAUSE_MS.mostRefused : PAUSE_MS.most;
    return Math.min(PAUSE_MS.first * 2 ** Math.min(failures, 20), most) * (0.5 + Math.random() / 2);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.cancelPause = () => (clearTimeout(timer), resolve());
    });
  }
}
