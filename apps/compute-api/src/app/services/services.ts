import {
  COMPUTE_BINARY,
  hasServers,
  type AggregatesRepository,
  type HostsRepository,
  type Service,
  type ServiceKey,
  type ServicesRepository,
} from '@fractus/compute-db';
import { invalid, isFractusError, notFound, withTimeout, type RequestContext } from '@fractus/objects';
import type { Client, computeContract, HostClient, placementContract, schedulerNews } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import { zoneOfService, zonesByHost, type ZoneNames } from '../availability-zones/zones';

export interface ServicesDeps {
  readonly hosts: Pick<HostsRepository, 'services' | 'computeService' | 'updateService'>;
  readonly services: ServicesRepository;
  readonly aggregates: Pick<AggregatesRepository, 'list'>;
  readonly compute: HostClient<typeof computeContract>;
  readonly placement: Pick<Client<typeof placementContract>, 'deleteProvider'>;
  readonly news: Pick<Client<typeof schedulerNews>, 'serviceChanged'>;
  readonly logger: Logger;
  readonly zones: ZoneNames;
  readonly isUp: (service: Pick<Service, 'forcedDown' | 'lastSeenAt'>) => boolean;
  readonly now: () => number;
}

export interface ServiceInZone {
  readonly service: Service;
  readonly zone: string;
  readonly up: boolean;
}

export interface ServiceChange {
  readonly disabled?: boolean;
  readonly disabledReason?: string | null;
  readonly forcedDown?: boolean;
}

/** What operators do with services. */
export class Services {
  constructor(private readonly deps: ServicesDeps) {}

  async list(filter: { host?: string; binary?: string }): Promise<ServiceInZone[]> {
    const [services, aggregates] = await Promise.all([this.deps.hosts.services(filter), this.deps.aggregates.list()]);
    const zones = zonesByHost(aggregates);
    return services.map((service) => this.inZone(service, zones));
  }

  /** By uuid (2.53). `not_found`; `invalid` for a service that is no compute host, or a change of nothing. */
  async update(ctx: RequestContext, id: string, change: ServiceChange): Promise<ServiceInZone> {
    const service = await this.find({ id });
    refuseOthers(service.binary);
    const current = {
      disabled: service.disabled,
      disabledReason: service.disabledReason,
      forcedDown: service.forcedDown,
    };
    const changed = Object.entries(change).some(([k, v]) => v !== undefined && v !== current[k as keyof ServiceChange]);
    if (!changed) {
      throw invalid("No updates were requested. Fields 'status' or 'forced_down' should be specified.", {
        code: 'service.no_change',
      });
    }
    await this.write(ctx, service, change);
    return this.inZone(await this.find({ id }), zonesByHost(await this.deps.aggregates.list()));
  }

  /** By host and binary (before 2.53). `not_found`, `invalid` as above; writing what is so already is fine. */
  async updateByHost(ctx: RequestContext, host: string, binary: string, change: ServiceChange): Promise<void> {
    refuseOthers(binary);
    const service = await this.deps.hosts.computeService(host);
    // a database that compares without case must not let one host stand for another
    if (service?.host !== host)
      throw notFound(`Could not find binary ${binary} on host ${host}.`, { code: 'service.not_found' });
    await this.write(ctx, service, change);
  }

  /**
   * Deletes a service record. A compute service goes only when no server is on its host (`conflict`), and takes its
   * resource providers and its places in aggregates along; a provider that still holds allocations keeps it (`conflict`).
   */
  async delete(ctx: RequestContext, key: ServiceKey): Promise<void> {
    const service = await this.find(key);
    if (service.binary === COMPUTE_BINARY) {
      if ((await this.deps.services.serversOn(service.host)) > 0) throw hasServers();
      await this.deleteProviders(ctx, service.host);
    }
    await this.deps.services.delete(service);
    if (service.binary === COMPUTE_BINARY) await this.spread(ctx, service.host);
  }

  private async deleteProviders(ctx: RequestContext, host: string): Promise<void> {
    for (const providerId of await this.deps.services.nodeIdsOf(host)) {
      await this.deps.placement.deleteProvider(ctx, { providerId }).catch((e: unknown) => {
        if (!isFractusError(e, 'not_found')) throw e;
      });
    }
  }

  private async find(key: ServiceKey): Promise<Service> {
    const service = await this.deps.services.find(key);
    if (service) return service;
    throw notFound(`Service ${'id' in key ? key.id : key.rowId} could not be found.`, { code: 'service.not_found' });
  }

  private async write(ctx: RequestContext, service: Service, change: ServiceChange): Promise<void> {
    const { hosts, now } = this.deps;
    if (!(await hosts.updateService(service.id, change, now()))) await this.find({ id: service.id });
    if (change.disabled !== undefined && change.disabled !== service.disabled) {
      await this.tellAgent(ctx, service, change.disabled, change.disabledReason ?? undefined);
    }
    await this.spread(ctx, service.host);
  }

  /** The agent marks its provider, which keeps the scheduler from asking; it also does so by itself when it next starts. */
  private async tellAgent(ctx: RequestContext, service: Service, disabled: boolean, reason?: string): Promise<void> {
    if (!this.deps.isUp(service)) return;
    const request = { enabled: !disabled, ...(reason === undefined ? {} : { reason }) };
    await this.deps.compute
      .on(service.host)
      .setHostEnabled(withTimeout(ctx, 10_000), request)
      .catch((err: unknown) => {
        this.deps.logger.warn(
          { err, host: service.host, request_id: ctx.requestId },
          'the agent could not be told that its host changed',
        );
      });
  }

  /** News may get lost: the scheduler reads services anew now and then. */
  private async spread(ctx: RequestContext, host: string): Promise<void> {
    await this.deps.news.serviceChanged(ctx, { host }).catch((err: unknown) => {
      this.deps.logger.warn(
        { err, host, request_id: ctx.requestId },
        'schedulers could not be told of a changed service',
      );
    });
  }

  private inZone(service: Service, zones: ReadonlyMap<string, string>): ServiceInZone {
    return { service, zone: zoneOfService(service, zones, this.deps.zones), up: this.deps.isUp(service) };
  }
}

function refuseOthers(binary: string): void {
  if (binary === COMPUTE_BINARY) return;
  throw invalid(`Updating a ${binary} service is not supported. Only ${COMPUTE_BINARY} services can be updated.`, {
    code: 'service.binary',
  });
}
