import {
  AggregatesRepository,
  HostsRepository,
  HypervisorsRepository,
  ServerOperations,
  type Server,
  ServerReads,
  ServersRepository,
  ZONE_KEY,
} from '@fractus/compute-db';
import type { ImageClient, NetworkClient } from '@fractus/clients';
import type { RequestContext } from '@fractus/objects';
import { type Client, conductorContract } from '@fractus/rpc-contracts';
import type { ComputeRuleName } from '@fractus/policy';
import type { Logger } from '@fractus/telemetry';
import type { ActDeps } from '../../app/servers/act-on-server';
import type { CreateServerDeps } from '../../app/servers/create-server';
import type { SurroundingsDeps } from '../../app/servers/server-surroundings';
import { zoneTakesServers } from '../../app/servers/zone-available';
import type { ApiParts } from '../../parts';
import { clientOf } from '../rpc';

interface Owner {
  projectId: string;
  userId: string;
}

/** What the use cases of servers are given: repositories, neighbours, policy; made once. */
export class ServerParts implements ActDeps, CreateServerDeps, SurroundingsDeps {
  readonly servers: ServersRepository;
  readonly reads: ServerReads;
  readonly hosts: HostsRepository;
  readonly aggregates: AggregatesRepository;
  readonly operations: ServerOperations;
  readonly conductor: Client<typeof conductorContract>;
  readonly images: ImageClient;
  readonly networks: NetworkClient;
  readonly logger: Logger;
  readonly defaultZone: string;
  readonly serviceDownSeconds: number;
  private readonly hypervisors: HypervisorsRepository;

  constructor(private readonly parts: ApiParts) {
    const { database, clients, logger, config } = parts.deps;
    this.servers = new ServersRepository(database);
    this.reads = new ServerReads(database);
    this.hosts = new HostsRepository(database);
    this.aggregates = new AggregatesRepository(database);
    this.hypervisors = new HypervisorsRepository(database);
    this.operations = new ServerOperations(database, { quota: parts.quotaUsages });
    this.conductor = clientOf(parts, conductorContract);
    this.images = clients.images;
    this.networks = clients.networks;
    this.logger = logger;
    this.defaultZone = config.defaultZone;
    this.serviceDownSeconds = config.serviceDownSeconds;
  }

  get maxLimit(): number {
    return this.parts.config.maxLimit;
  }

  authorize(ctx: RequestContext, rule: string, target?: Owner): void {
    this.parts.enforcer.authorize(ctx, rule as ComputeRuleName, targetOf(target));
  }

  may(ctx: RequestContext, rule: string, target?: Owner): boolean {
    return this.parts.enforcer.check(ctx, rule as ComputeRuleName, targetOf(target));
  }

  async findFlavor(ctx: RequestContext, ref: string): ReturnType<CreateServerDeps['findFlavor']> {
    const flavor = await this.parts.flavors.find(ref, this.parts.enforcer.isAdmin(ctx) ? null : ctx.projectId);
    if (!flavor || flavor.disabled) return null;
    const { flavorId, name, vcpus, memoryMb, rootGb, ephemeralGb, swapMb, extraSpecs } = flavor;
    return { flavorId, name, vcpus, memoryMb, rootGb, ephemeralGb, swapMb, extraSpecs: { ...extraSpecs } };
  }

  async findPublicKey(ctx: RequestContext, name: string): Promise<string | null> {
    return (await this.parts.keyPairs.find(ctx.userId ?? '', name))?.publicKey ?? null;
  }

  zoneAvailable(zone: string): Promise<boolean> {
    return zoneTakesServers({ hosts: this.hosts, aggregates: this.aggregates, defaultZone: this.defaultZone }, zone);
  }

  async zoneOfHost(host: string | null): Promise<string | null> {
    const own = (await this.aggregates.list()).filter((a) => host !== null && a.hosts.includes(host));
    return own.map((a) => a.metadata[ZONE_KEY]).find((zone) => zone !== undefined) ?? null;
  }

  async findHost(host: string | null, node: string | null): Promise<{ host: string; node: string } | null> {
    const [found] =
      host === null
        ? (await this.hypervisors.search(node ?? '')).filter((h) => h.node === node)
        : [await this.hosts.nodeOf(host)].filter((n) => n !== null);
    if (!found || (node !== null && found.node !== node)) return null;
    return { host: found.host, node: found.node };
  }

  async limits(ctx: RequestContext): ReturnType<CreateServerDeps['limits']> {
    const limits = await this.parts.quotaLimits.of(ctx.projectId ?? '', ctx.userId ?? '');
    return {
      metadataItems: limits.metadata_items,
      injectedFiles: limits.injected_files,
      injectedFileContentBytes: limits.injected_file_content_bytes,
    };
  }

  async capabilitiesOf(server: Server): Promise<Readonly<Record<string, boolean>> | undefined> {
    return server.host === null ? undefined : (await this.hosts.nodeOf(server.host))?.capabilities;
  }
}

/** The names under which rules look at whose a thing is. */
const targetOf = (owner: Owner | undefined): Record<string, string> | undefined =>
  owner && { project_id: owner.projectId, user_id: owner.userId };
