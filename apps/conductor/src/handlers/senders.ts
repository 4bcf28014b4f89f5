/**
 * Who may say what about a host. An agent's messages carry the user that the broker validated. A host belongs to the
 * user that registered it first, until an operator deletes its compute service; what others say about it is dropped:
 * counted, logged once, never tried again. Agents that share one user are not kept apart. Where the transport knows no
 * users nothing is checked.
 */
import { LRUCache } from 'lru-cache';
import type { HostsRepository } from '@fractus/compute-db';
import { forbidden, type RequestContext } from '@fractus/objects';
import { deliveryOf } from '@fractus/rpc';
import type { Counter, Logger, Metrics } from '@fractus/telemetry';

/** Milliseconds for which a host once found to be a user's is not looked up again. */
const TRUST_MS = 60_000;
const PAGE = 500;
const MAX_STORIES = 1000;

export type DropReason =
  /** The host belongs to another user, or is not registered. */
  | 'foreign_host'
  /** The server is not on the host, or the operation was never sent to it. */
  | 'not_on_host'
  /** The message has no user, on a transport that has users. */
  | 'unknown_sender';

export class Senders {
  private readonly trusted = new LRUCache<string, true>({ max: 50_000, ttl: TRUST_MS });
  private readonly told = new LRUCache<string, true>({ max: MAX_STORIES });
  private readonly dropped: Counter | undefined;

  constructor(
    private readonly hosts: HostsRepository,
    private readonly logger: Logger,
    metrics?: Metrics,
  ) {
    this.dropped = metrics?.counter(
      'fractus_conductor_dropped_messages_total',
      "Agents' messages about hosts, servers or operations that are not theirs",
      ['method', 'reason'],
    );
  }

  /** The broker's user that sent the message being handled; undefined where the transport knows no users. */
  userOf(ctx: RequestContext): string | undefined {
    return deliveryOf(ctx)?.sender;
  }

  /** Of these hosts, those that the sender may speak of; the others are counted as dropped. */
  async own(ctx: RequestContext, method: string, hosts: readonly string[]): Promise<ReadonlySet<string>> {
    const sender = this.userOf(ctx);
    if (sender === undefined) return new Set(hosts);
    if (sender === '') {
      for (const host of hosts) this.drop(method, 'unknown_sender', { sender, host });
      return new Set();
    }
    const own = new Set(hosts.filter((host) => this.trusted.has(`${sender} ${host}`)));
    const others = [...new Set(hosts)].filter((host) => !own.has(host));
    for (let i = 0; i < others.length; i += PAGE) {
      const page = others.slice(i, i + PAGE);
      const services = await this.hosts.computeServices(page);
      for (const host of page) {
        const service = services.get(host);
        // registered by a release that did not note the user, or where there was none: anybody's
        const allowed = service !== undefined && (service.rpcUser === null || service.rpcUser === sender);
        if (!allowed) this.drop(method, 'foreign_host', { sender, host });
        else own.add(host);
        if (allowed && service.rpcUser !== null) this.trusted.set(`${sender} ${host}`, true);
      }
    }
    return own;
  }

  /** Whether the sender may speak of the host; if not, its message is counted as dropped. */
  async owns(ctx: RequestContext, method: string, host: string): Promise<boolean> {
    return (await this.own(ctx, method, [host])).has(host);
  }

  /** As `owns`, for who waits for an answer: `forbidden` `host.not_yours`. */
  async require(ctx: RequestContext, method: string, host: string): Promise<void> {
    if (await this.owns(ctx, method, host)) return;
    throw forbidden(`host ${host} is not registered by the RPC user that asks`, { code: 'host.not_yours' });
  }

  /** Counts a message that is dropped although its sender serves the host. Not where the transport knows no users. */
  notOnHost(ctx: RequestContext, method: string, about: { host: string; server_id: string }): void {
    const sender = this.userOf(ctx);
    if (sender !== undefined) this.drop(method, 'not_on_host', { sender, ...about });
  }

  private drop(method: string, reason: DropReason, about: { sender: string; host: string }): void {
    this.dropped?.labels(method, reason).inc();
    const story = [method, reason, about.sender, about.host].join(' ');
    if (this.told.has(story)) return;
    this.told.set(story, true);
    this.logger.warn({ method, reason, ...about }, 'messages about what does not belong to their sender are dropped');
  }
}
