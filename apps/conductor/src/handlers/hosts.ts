/** What agents say about their hosts. */
import { randomUUID } from 'node:crypto';
import type { HostsRepository } from '@fractus/compute-db';
import { invalid } from '@fractus/objects';
import type { HostReport, RegisteredHosts, RegisterHosts } from '@fractus/rpc-contracts';

const MAX_PAGE = 200;

export class Hosts {
  constructor(
    private readonly hosts: HostsRepository,
    private readonly clock: () => number,
  ) {}

  async register({ hosts, ...agent }: RegisterHosts): Promise<RegisteredHosts> {
    if (hosts.length > MAX_PAGE)
      throw invalid(`at most ${MAX_PAGE} hosts a page, not ${hosts.length}`, { code: 'hosts.page' });
    return { hosts: await this.hosts.register(agent, hosts, randomUUID, this.clock()) };
  }

  async report({ alive, changed, ...agent }: HostReport): Promise<void> {
    await this.hosts.report(agent, alive, changed, this.clock());
  }
}
