import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { ImageClient, NetworkClient } from '@fractus/clients';
import type { NewServerWithSpec, ServerOperations } from '@fractus/compute-db';
import { forbidden, invalid, type RequestContext } from '@fractus/objects';
import type { Client, conductorContract, FlavorSnapshot, ImageSnapshot, RequestSpec } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import { bootImage } from './block-devices';
import type { CreateServerRequest, ResolvedCreate, ResolvedNetworks } from './create-request';
import { hintTask } from './hint-task';
import { hostnameOf, nameOf } from './hostname';
import { checkImageFits, resolveImage } from './resolve-image';
import { checkPortQuota, portsToMake, resolveNetworks, resolveSecurityGroups } from './resolve-networks';

export interface CreateServerDeps {
  operations: ServerOperations;
  images: ImageClient;
  networks: NetworkClient;
  conductor: Client<typeof conductorContract>;
  logger: Logger;
  /** The flavor, if it exists and this project may use it. */
  findFlavor(ctx: RequestContext, ref: string): Promise<FlavorSnapshot | null>;
  /** The public key of the user's key pair, if there is one of that name. */
  findPublicKey(ctx: RequestContext, name: string): Promise<string | null>;
  /** Whether the zone has a host that takes servers. */
  zoneAvailable(zone: string): Promise<boolean>;
  /** Whether a host (and, if given, that hypervisor on it) exists; a hypervisor alone is looked up by name. */
  findHost(host: string | null, node: string | null): Promise<{ host: string; node: string } | null>;
  may(ctx: RequestContext, rule: string): boolean;
  authorize(ctx: RequestContext, rule: string): void;
  /** Limits of what one server may carry (quota set of the project). */
  limits(
    ctx: RequestContext,
  ): Promise<{ metadataItems: number; injectedFiles: number; injectedFileContentBytes: number }>;
}

export interface CreatedServers {
  reservationId: string;
  serverIds: string[];
  adminPassword: string;
}

const PASSWORD_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';
/** Twelve characters that are not mistaken for each other (upstream's password_length). */
const generatePassword = (): string =>
  Array.from({ length: 12 }, () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)]).join('');

/**
 * Creates one server or several. Every check that needs a neighbour comes first; then one transaction writes servers,
 * specs, actions, tasks and quota; then conductor is told, which may fail without harm.
 * Errors: `invalid` (400) for what names something unknown or unfit, `forbidden` (403) for policy and quota, `conflict`
 * (409) for an ambiguous network or a port in use.
 */
export async function createServer(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
): Promise<CreatedServers> {
  checkCounts(request);
  await checkLimits(deps, ctx, request);
  const flavor = await deps.findFlavor(ctx, request.flavorRef);
  if (!flavor) throw invalid(`Flavor ${request.flavorRef} could not be found.`, { code: 'flavor.not_found' });
  const resolved = await resolve(deps, ctx, request, flavor);
  const adminPassword = request.adminPassword ?? generatePassword();
  const reservationId = `r-${randomBytes(6).toString('base64url').replace(/[-_]/g, '0').toLowerCase().slice(0, 8)}`;
  const all = Array.from({ length: request.maxCount }, (_, index) =>
    newServer(ctx, request, flavor, resolved, { index, reservationId, adminPassword }),
  );
  const begun = await deps.operations.create(ctx, all, request.minCount);
  for (const { taskId } of begun) hintTask(deps, ctx, taskId);
  return { reservationId, serverIds: begun.map((b) => b.serverId), adminPassword };
}

function checkCounts({ minCount, maxCount, hostname }: CreateServerRequest): void {
  if (minCount > maxCount)
    throw invalid('min_count must be <= max_count', { code: 'server.min_count', details: { minCount, maxCount } });
  if (maxCount > 1 && hostname !== null)
    throw invalid('Unable to allocate a single hostname to multiple instances', { code: 'server.hostname' });
}

async function checkLimits(
  deps: CreateServerDeps,
  ctx: RequestContext,
  { metadata, personality }: CreateServerRequest,
): Promise<void> {
  const limits = await deps.limits(ctx);
  const over = (limit: number, count: number): boolean => limit >= 0 && count > limit;
  if (over(limits.metadataItems, Object.keys(metadata).length))
    throw forbidden(`Maximum number of metadata items exceeds ${limits.metadataItems}`, {
      code: 'quota.metadata_items',
    });
  if (over(limits.injectedFiles, personality.length))
    throw forbidden('Personality file limit exceeded', { code: 'quota.injected_files' });
  for (const { contents } of personality)
    if (over(limits.injectedFileContentBytes, Buffer.byteLength(contents, 'base64')))
      throw forbidden('Personality file content too long', { code: 'quota.injected_file_content_bytes' });
}

async function resolve(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
  flavor: FlavorSnapshot,
): Promise<ResolvedCreate> {
  const place = await resolvePlace(deps, ctx, request);
  const image = await resolveBoot(deps, ctx, request, flavor);
  const publicKey = request.keyName === null ? null : await deps.findPublicKey(ctx, request.keyName);
  if (request.keyName !== null && publicKey === null)
    throw invalid('Invalid key_name provided.', { code: 'keypair.not_found' });
  const networks = await resolveNetworks(deps.networks, ctx, request.networks, {
    several: request.maxCount > 1,
    mayAttachExternal: deps.may(ctx, 'network:attach_external_network'),
  });
  const securityGroups = await resolveSecurityGroups(deps.networks, ctx, request.securityGroups ?? []);
  await checkPortQuota(deps.networks, ctx, portsToMake(networks) * request.minCount);
  return { ...place, image, networks, publicKey, securityGroups };
}

async function resolveBoot(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
  flavor: FlavorSnapshot,
): Promise<ImageSnapshot | null> {
  const imageId = bootImage(request, flavor);
  if (!imageId) throw invalid('Invalid imageRef provided.', { code: 'image.missing' });
  const image = await resolveImage(deps.images, ctx, imageId);
  checkImageFits(image, flavor, () => deps.may(ctx, 'os_compute_api:servers:create:zero_disk_flavor'));
  return image;
}

/** Zone, and host where one is forced (`zone:host:node`) or asked for (2.74). */
async function resolvePlace(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
): Promise<Pick<ResolvedCreate, 'availabilityZone' | 'requestedHost' | 'requestedNode'>> {
  const [zone = '', forcedHost = '', forcedNode = '', extra] = (request.availabilityZone ?? '').split(':');
  if (extra !== undefined)
    throw invalid('Unable to parse availability_zone: give zone, zone:host or zone:host:node', { code: 'zone.form' });
  if (forcedHost || forcedNode) deps.authorize(ctx, 'os_compute_api:servers:create:forced_host');
  const host = request.host ?? (forcedHost || null);
  const node = request.hypervisorHostname ?? (forcedNode || null);
  if (request.host !== null || request.hypervisorHostname !== null)
    deps.authorize(ctx, 'compute:servers:create:requested_destination');
  if (zone !== '' && !(await deps.zoneAvailable(zone)))
    throw invalid('The requested availability zone is not available', { code: 'zone.not_available' });
  if (host === null && node === null)
    return { availabilityZone: zone || null, requestedHost: null, requestedNode: null };
  const found = await deps.findHost(host, node);
  if (!found) throw invalid(`Compute host ${host ?? node} could not be found.`, { code: 'host.not_found' });
  return { availabilityZone: zone || null, requestedHost: host, requestedNode: node };
}

function newServer(
  ctx: RequestContext,
  request: CreateServerRequest,
  flavor: FlavorSnapshot,
  resolved: ResolvedCreate,
  { index, reservationId, adminPassword }: { index: number; reservationId: string; adminPassword: string },
): NewServerWithSpec {
  const id = randomUUID();
  const name = nameOf(request.name, index, request.maxCount);
  const projectId = ctx.projectId ?? '';
  const userId = ctx.userId ?? '';
  const spec: RequestSpec = {
    projectId,
    userId,
    flavor,
    image: resolved.image,
    bootFromVolume: false,
    availabilityZone: resolved.availabilityZone,
    requestedHost: resolved.requestedHost,
    requestedNode: resolved.requestedNode,
    schedulerHints: request.schedulerHints,
  };
  return {
    server: {
      id,
      projectId,
      userId,
      name,
      hostname: request.hostname ?? hostnameOf(name, id),
      flavor,
      image: resolved.image,
      requestedNetworks: forStore(resolved.networks),
      reservationId,
      description: request.description,
      availabilityZone: resolved.availabilityZone,
      keyName: request.keyName,
      keyData: resolved.publicKey,
      userData: request.userData,
      configDrive: request.configDrive || resolved.image?.properties['img_config_drive'] === 'mandatory',
      accessIpV4: request.accessIpV4,
      accessIpV6: request.accessIpV6,
      metadata: request.metadata,
      systemMetadata: { boot_roles: ctx.roles.join(',') },
      tags: [...new Set(request.tags)].sort(),
      securityGroups: request.securityGroups?.length ? request.securityGroups : ['default'],
      rootDeviceName: '/dev/vda',
      launchIndex: index,
      diskConfig: request.diskConfig,
      trustedImageCertificates: request.trustedImageCertificates,
    },
    spec,
    input: { adminPassword },
  };
}

function forStore(networks: ResolvedNetworks): NewServerWithSpec['server']['requestedNetworks'] {
  if (networks === 'none') return 'none';
  return networks.map(({ networkId, portId, fixedIp, tag }) => ({
    networkId,
    ...(portId === null ? {} : { portId }),
    ...(fixedIp === null ? {} : { fixedIp }),
    ...(tag === null ? {} : { tag }),
  }));
}
