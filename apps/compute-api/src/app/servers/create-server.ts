import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { ImageClient, NetworkClient } from '@fractus/clients';
import type { NewServerWithSpec, ServerOperations } from '@fractus/compute-db';
import { forbidden, invalid, type RequestContext } from '@fractus/objects';
import type { Client, conductorContract, FlavorSnapshot, ImageSnapshot, RequestSpec } from '@fractus/rpc-contracts';
import type { Logger } from '@fractus/telemetry';
import { bootImage } from './block-devices';
import type { CreateServerRequest, ResolvedCreate, ResolvedNetworks } from './create-request';
import { checkLocalDisk } from '../flavors/local-disk';
import { hintTask } from './hint-task';
import { hostnameOf, nameOf } from './hostname';
import { checkImageFits, diskConfigOf, resolveImage } from './resolve-image';
import { portsToMake, resolveNetworks, resolveSecurityGroups, serversThatFit } from './resolve-networks';
import { type PlaceDeps, resolvePlace } from './resolve-place';

export interface CreateServerDeps extends PlaceDeps {
  operations: ServerOperations;
  images: ImageClient;
  networks: NetworkClient;
  conductor: Client<typeof conductorContract>;
  logger: Logger;
  /** The flavor, if it exists and this project may use it. */
  findFlavor(ctx: RequestContext, ref: string): Promise<FlavorSnapshot | null>;
  /** The public key of the user's key pair, if there is one of that name. */
  findPublicKey(ctx: RequestContext, name: string): Promise<string | null>;
  may(ctx: RequestContext, rule: string): boolean;
  /** Limits of what one server may carry (quota set of the project). */
  limits(
    ctx: RequestContext,
  ): Promise<{ metadataItems: number; injectedFiles: number; injectedFileContentBytes: number }>;
}

export interface CreatedServers {
  reservationId: string;
  serverIds: string[];
  adminPassword: string;
  diskConfig: 'AUTO' | 'MANUAL';
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
  const { flavor, resolved } = await planCreate(deps, ctx, request);
  const adminPassword = request.adminPassword ?? generatePassword();
  const reservationId = `r-${randomBytes(6).toString('base64url').replace(/[-_]/g, '0').toLowerCase().slice(0, 8)}`;
  const all = Array.from({ length: resolved.fitting }, (_, index) =>
    newServer(ctx, request, flavor, resolved, { index, reservationId, adminPassword }),
  );
  const begun = await deps.operations.create(ctx, all, request.minCount);
  for (const { taskId } of begun) hintTask(deps, ctx, taskId);
  return { reservationId, serverIds: begun.map((b) => b.serverId), adminPassword, diskConfig: resolved.diskConfig };
}

/** What the request comes to after every check, short of writing anything. Errors as `createServer`. */
export async function planCreate(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
): Promise<{ flavor: FlavorSnapshot; resolved: ResolvedCreate }> {
  checkCounts(request);
  await checkLimits(deps, ctx, request);
  const flavor = await deps.findFlavor(ctx, request.flavorRef);
  if (!flavor) throw invalid(`Flavor ${request.flavorRef} could not be found.`, { code: 'flavor.not_found' });
  return { flavor, resolved: await resolve(deps, ctx, request, flavor) };
}

/** What the scheduler is asked for each of the servers. */
export const specOf = (
  ctx: RequestContext,
  request: Pick<CreateServerRequest, 'schedulerHints'>,
  flavor: FlavorSnapshot,
  resolved: ResolvedCreate,
): RequestSpec => ({
  projectId: ctx.projectId ?? '',
  userId: ctx.userId ?? '',
  flavor,
  image: resolved.image,
  bootFromVolume: false,
  availabilityZone: resolved.availabilityZone,
  requestedHost: resolved.requestedHost,
  requestedNode: resolved.requestedNode,
  schedulerHints: request.schedulerHints,
});

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
  // nothing is over any limit
  if (Object.keys(metadata).length === 0 && personality.length === 0) return;
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
  const fitting = await serversThatFit(deps.networks, ctx, portsToMake(networks), request);
  const diskConfig = diskConfigOf(image, request.diskConfig);
  return { ...place, image, networks, publicKey, securityGroups, diskConfig, fitting };
}

async function resolveBoot(
  deps: CreateServerDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
  flavor: FlavorSnapshot,
): Promise<ImageSnapshot | null> {
  const imageId = bootImage(request, flavor);
  const localDevices = request.blockDevices.filter((d) => d.sourceType === 'blank').length;
  checkLocalDisk(flavor, { bootFromVolume: false, localDevices });
  if (!imageId) throw invalid('Missing imageRef attribute', { code: 'image.missing' });
  const image = await resolveImage(deps.images, ctx, imageId);
  checkImageFits(image, flavor, () => deps.may(ctx, 'os_compute_api:servers:create:zero_disk_flavor'));
  return image;
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
  const spec = specOf(ctx, request, flavor, resolved);
  const { projectId, userId } = spec;
  return {
    server: {
      id,
      projectId,
      userId,
      name,
      hostname: request.hostname ?? hostnameOf(request.name, id, { index, count: request.maxCount }),
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
      securityGroups: resolved.securityGroups.length > 0 ? resolved.securityGroups : ['default'],
      rootDeviceName: '/dev/vda',
      launchIndex: index,
      diskConfig: resolved.diskConfig,
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
