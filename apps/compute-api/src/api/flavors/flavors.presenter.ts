import type { Flavor } from '@fractus/compute-db';
import type { Link } from '@fractus/http';

/** An item of the brief list. */
export const briefFlavor = (flavor: Flavor, links: Link[]): Record<string, unknown> => ({
  id: flavor.flavorId,
  name: flavor.name,
  description: flavor.description,
  links,
});

/** A flavor in full, with what newer versions took away. Extra specs only for those who may list them. */
export const detailedFlavor = (flavor: Flavor, links: Link[], withExtraSpecs: boolean): Record<string, unknown> => ({
  id: flavor.flavorId,
  name: flavor.name,
  ram: flavor.memoryMb,
  disk: flavor.rootGb,
  swap: flavor.swapMb,
  vcpus: flavor.vcpus,
  'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeralGb,
  'OS-FLV-DISABLED:disabled': flavor.disabled,
  'os-flavor-access:is_public': flavor.isPublic,
  rxtx_factor: flavor.rxtxFactor,
  description: flavor.description,
  links,
  ...(withExtraSpecs ? { extra_specs: flavor.extraSpecs } : {}),
});

/** Which projects a private flavor is given to. */
export const flavorAccess = (flavorId: string, projects: readonly string[]): object => ({
  flavor_access: projects.map((tenant_id) => ({ flavor_id: flavorId, tenant_id })),
});
