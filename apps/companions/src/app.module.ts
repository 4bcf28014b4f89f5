/**
 * The companions of a development cloud: small, persistent services that speak as much of Keystone v3, Glance v2,
 * Neutron v2.0 and Cinder v3 as compute's clients need. Each listens on its own port over its own database.
 */
export { startIdentity, type IdentityDeps, type RunningIdentity } from './identity/identity.module';
export { IdentityConfig } from './identity/identity.config';
export type { BootstrapOptions } from './identity/bootstrap';
export { startImage, type ImageDeps, type RunningImage, type SeedImage } from './image/image.module';
export { ImageConfig } from './image/image.config';
export { startNetwork, type NetworkDeps, type RunningNetwork, type SeedNetwork } from './network/network.module';
export { NetworkConfig } from './network/network.config';
export { startVolume, type RunningVolume, type VolumeDeps } from './volume/volume.module';
export { VolumeConfig } from './volume/volume.config';
export { IDENTITY_MIGRATIONS } from './identity/identity.migrations';
export { IMAGE_MIGRATIONS } from './image/image.migrations';
export { NETWORK_MIGRATIONS } from './network/network.migrations';
export { VOLUME_MIGRATIONS } from './volume/volume.migrations';
