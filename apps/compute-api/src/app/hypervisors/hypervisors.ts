import type {
  Hypervisor,
  HypervisorKey,
  HypervisorsRepository,
  HypervisorStatistics,
  HostedServer,
} from '@fractus/compute-db';
import { invalid, isFractusError, notFound, type RequestContext } from '@fractus/objects';
import type { computeContract, HostClient } from '@fractus/rpc-contracts';

export interface HypervisorsDeps {
  readonly hypervisors: HypervisorsRepository;
  readonly compute: HostClient<typeof computeContract>;
  readonly isUp: (service: Pick<Hypervisor['service'], 'forcedDown' | 'lastSeenAt'>) => boolean;
}

export interface ShownHypervisor {
  readonly hypervisor: Hypervisor;
  readonly up: boolean;
  /** Null where they were not asked for. */
  readonly servers: readonly HostedServer[] | null;
}

/** Hypervisors for operators. Answers come from what agents last reported; only `uptime` asks an agent. */
export class Hypervisors {
  constructor(private readonly deps: HypervisorsDeps) {}

  /** A page, or all without one. `invalid` when the marker is unknown. */
  async list(
    page: { limit: number; marker: HypervisorKey | null } | null,
    withServers: boolean,
  ): Promise<ShownHypervisor[]> {
    const { hypervisors } = this.deps;
    if (!page) return this.shown(await hypervisors.page(), withServers);
    if (page.limit === 0) return [];
    const after = page.marker ? await hypervisors.find(page.marker) : null;
    if (page.marker && !after) throw markerNotFound(page.marker);
    return this.shown(
      await hypervisors.page({ limit: page.limit, ...(after ? { after: after.rowId } : {}) }),
      withServers,
    );
  }

  /** Those whose hostname contains the text; `not_found` when there are none. */
  async search(text: string, withServers: boolean): Promise<ShownHypervisor[]> {
    const found = await this.deps.hypervisors.search(text);
    if (found.length === 0)
      throw notFound(`No hypervisor matching '${text}' could be found.`, { code: 'hypervisor.not_found' });
    return this.shown(found, withServers);
  }

  async get(key: HypervisorKey, withServers: boolean): Promise<ShownHypervisor> {
    const found = await this.deps.hypervisors.find(key);
    if (!found) throw hypervisorNotFound('id' in key ? key.id : key.rowId);
    const [shown] = await this.shown([found], withServers);
    return shown ?? { hypervisor: found, up: false, servers: null };
  }

  statistics(): Promise<HypervisorStatistics> {
    return this.deps.hypervisors.statistics();
  }

  /** As the host's own `uptime` says. `invalid` when the host cannot be asked, `unimplemented` when its driver has none. */
  async uptime(ctx: RequestContext, { hypervisor, up }: ShownHypervisor): Promise<string> {
    if (!up) throw unavailable(hypervisor.host);
    const answer = await this.deps.compute
      .on(hypervisor.host)
      .getUptime(ctx, {})
      .catch((e: unknown) => {
        throw isFractusError(e, 'unroutable', 'timeout', 'unavailable') ? unavailable(hypervisor.host, e) : e;
      });
    return answer.uptime;
  }

  private async shown(found: readonly Hypervisor[], withServers: boolean): Promise<ShownHypervisor[]> {
    const servers = withServers ? await this.deps.hypervisors.serversOn([...new Set(found.map((h) => h.host))]) : null;
    return found.map((hypervisor) => ({
      hypervisor,
      up: this.deps.isUp(hypervisor.service),
      servers: servers ? (servers.get(hypervisor.host) ?? []) : null,
    }));
  }
}

export const hypervisorNotFound = (id: string | number) =>
  notFound(`Hypervisor with ID '${id}' could not be found.`, { code: 'hypervisor.not_found' });

const markerNotFound = (key: HypervisorKey) =>
  invalid(`marker [${'id' in key ? key.id : key.rowId}] not found`, { code: 'query.marker' });

const unavailable = (host: string, cause?: unknown) =>
  invalid(`Compute service of ${host} is unavailable at this time.`, { code: 'host.unavailable', cause });
