/** What agents say about their hosts. */
import { randomUUID } from 'node:crypto';
import type { HostsRepository } from '@fractus/compute-db';
import { forbidden, invalid, isFractusError, type RequestContext } from '@fractus/objects';
import type { HostReport, RegisteredHosts, RegisterHosts } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import type { Senders } from './senders';

const MAX_PAGE = 200;

export class Hosts {
  constructor(
    private readonly hosts: HostsRepository,
    private readonly senders: Senders,
    private readonly clock: () => number,
    private readonly logger: Logger,
  ) {}

  async register(ctx: RequestContext, { hosts, ...agent }: RegisterHosts): Promise<RegisteredHosts> {
    if (hosts.length > MAX_PAGE)
      throw invalid(`at most ${MAX_PAGE} hosts a page, not ${hosts.length}`, { code: 'hosts.page' });
    const rpcUser = this.senders.userOf(ctx);
    if (rpcUser === '') throw forbidden('hosts are registered by a known RPC user', { code: 'host.sender_unknown' });
    try {
      const known = { ...agent, ...(rpcUser === undefined ? {} : { rpcUser }) };
      return { hosts: await this.hosts.register(known, hosts, randomUUID, this.clock()) };
    } catch (err) {
      if (isFractusError(err, 'conflict'))
        this.logger.warn({ err, agent_id: agent.agentId, rpc_user: rpcUser }, 'hosts were not registered');
      throw err;
    }
  }

  async report(ctx: RequestContext, { alive, changed, ...agent }: HostReport): Promise<void> {
    const own = await this.senders.own(ctx, 'hostReport', [...alive, ...changed.map((h) => h.host)]);
    await this.hosts.report(
      agent,
      alive.filter((host) => own.has(host)),
      changed.filter((state) => own.has(state.host)),
      this.clock(),
    );
  }
}
