/**
 * What a host's driver can do for a server beyond the plain actions: the flag that says so, and the request that would
 * use it, by the name that capabilities of servers know it under.
 */
import { CAPABILITY_TRAITS, type Capability } from './capabilities';

export interface ServerFeature {
  readonly capability: Capability;
  /** Name of the action that it is of. */
  readonly action: string;
}

export const SERVER_FEATURES = {
  attach_interface: { capability: 'supports_attach_interface', action: 'attach_interface' },
  attach_interface_tag: { capability: 'supports_tagged_attach_interface', action: 'attach_interface' },
  attach_volume_tag: { capability: 'supports_tagged_attach_volume', action: 'attach_volume' },
  attach_volume_multiattach: { capability: 'supports_multiattach', action: 'attach_volume' },
  attach_share_virtio_fs: { capability: 'supports_virtio_fs', action: 'attach_share' },
  attach_share_mem_backing_file: { capability: 'supports_mem_backing_file', action: 'attach_share' },
  evacuate: { capability: 'supports_evacuate', action: 'evacuate' },
  migrate_to_same_host: { capability: 'supports_migrate_to_same_host', action: 'migrate' },
  rebuild_trusted_certs: { capability: 'supports_trusted_certs', action: 'rebuild' },
  rescue_boot_from_volume: { capability: 'supports_bfv_rescue', action: 'rescue' },
  resize_to_same_host: { capability: 'supports_migrate_to_same_host', action: 'resize' },
} as const satisfies Record<string, ServerFeature>;

export type ServerFeatureName = keyof typeof SERVER_FEATURES;

/** The trait that tells of a flag; undefined for flags without one and for names that are no flag. */
export const traitOf = (capability: string): string | undefined =>
  (CAPABILITY_TRAITS as Readonly<Record<string, string | undefined>>)[capability];
