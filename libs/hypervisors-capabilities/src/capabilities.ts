/**
 * What a virt driver can do, as flags, and the trait that tells Placement so.
 *
 * A driver states every flag (`driverCapabilities` fills in `false`), because "no" must be as clear as "yes": the trait
 * of a flag that turned false is removed from the provider. Source of names and pairs: upstream's driver contract,
 * nova/virt/driver.py (CAPABILITY_TRAITS_MAP).
 */
export const CAPABILITY_TRAITS = {
  supports_attach_interface: 'COMPUTE_NET_ATTACH_INTERFACE',
  supports_device_tagging: 'COMPUTE_DEVICE_TAGGING',
  supports_tagged_attach_interface: 'COMPUTE_NET_ATTACH_INTERFACE_WITH_TAG',
  supports_tagged_attach_volume: 'COMPUTE_VOLUME_ATTACH_WITH_TAG',
  supports_extend_volume: 'COMPUTE_VOLUME_EXTEND',
  supports_multiattach: 'COMPUTE_VOLUME_MULTI_ATTACH',
  supports_trusted_certs: 'COMPUTE_TRUSTED_CERTS',
  supports_accelerators: 'COMPUTE_ACCELERATORS',
  supports_image_type_aki: 'COMPUTE_IMAGE_TYPE_AKI',
  supports_image_type_ami: 'COMPUTE_IMAGE_TYPE_AMI',
  supports_image_type_ari: 'COMPUTE_IMAGE_TYPE_ARI',
  supports_image_type_iso: 'COMPUTE_IMAGE_TYPE_ISO',
  supports_image_type_qcow2: 'COMPUTE_IMAGE_TYPE_QCOW2',
  supports_image_type_raw: 'COMPUTE_IMAGE_TYPE_RAW',
  supports_image_type_vdi: 'COMPUTE_IMAGE_TYPE_VDI',
  supports_image_type_vhd: 'COMPUTE_IMAGE_TYPE_VHD',
  supports_image_type_vhdx: 'COMPUTE_IMAGE_TYPE_VHDX',
  supports_image_type_vmdk: 'COMPUTE_IMAGE_TYPE_VMDK',
  supports_image_type_ploop: 'COMPUTE_IMAGE_TYPE_PLOOP',
  supports_migrate_to_same_host: 'COMPUTE_SAME_HOST_COLD_MIGRATE',
  supports_bfv_rescue: 'COMPUTE_RESCUE_BFV',
  supports_secure_boot: 'COMPUTE_SECURITY_UEFI_SECURE_BOOT',
  supports_socket_pci_numa_affinity: 'COMPUTE_SOCKET_PCI_NUMA_AFFINITY',
  supports_remote_managed_ports: 'COMPUTE_REMOTE_MANAGED_PORTS',
  supports_ephemeral_encryption: 'COMPUTE_EPHEMERAL_ENCRYPTION',
  supports_ephemeral_encryption_luks: 'COMPUTE_EPHEMERAL_ENCRYPTION_LUKS',
  supports_ephemeral_encryption_plain: 'COMPUTE_EPHEMERAL_ENCRYPTION_PLAIN',
  supports_address_space_passthrough: 'COMPUTE_ADDRESS_SPACE_PASSTHROUGH',
  supports_address_space_emulated: 'COMPUTE_ADDRESS_SPACE_EMULATED',
  supports_stateless_firmware: 'COMPUTE_SECURITY_STATELESS_FIRMWARE',
  supports_virtio_fs: 'COMPUTE_STORAGE_VIRTIO_FS',
  supports_mem_backing_file: 'COMPUTE_MEM_BACKING_FILE',
} as const;

/** Flags that no trait tells: they steer the driver's own host only (vTPM traits are worked out by model and version). */
export const CAPABILITIES_WITHOUT_TRAIT = [
  'has_imagecache',
  'supports_evacuate',
  'supports_pcpus',
  'supports_vtpm',
] as const;

export type CapabilityWithTrait = keyof typeof CAPABILITY_TRAITS;
export type Capability = CapabilityWithTrait | (typeof CAPABILITIES_WITHOUT_TRAIT)[number];
export type DriverCapabilities = Readonly<Record<Capability, boolean>>;

const WITH_TRAIT = Object.keys(CAPABILITY_TRAITS) as CapabilityWithTrait[];

/** Every flag there is. */
export const CAPABILITIES: readonly Capability[] = [...WITH_TRAIT, ...CAPABILITIES_WITHOUT_TRAIT];

/** A complete set of flags: those named are true, all others false. */
export function driverCapabilities(...supported: Capability[]): DriverCapabilities {
  const yes = new Set<Capability>(supported);
  return Object.freeze(Object.fromEntries(CAPABILITIES.map((c) => [c, yes.has(c)])) as Record<Capability, boolean>);
}

export interface CapabilityTraits {
  /** Traits the host's provider must have. */
  readonly present: readonly string[];
  /** Traits it must not have. Together with `present`: every trait of the map, which the driver therefore owns. */
  readonly absent: readonly string[];
}

const IMAGE_TYPE = 'supports_image_type_';

/**
 * Traits for a set of flags. `excludeImageTypes` names disk formats (`raw`, `vmdk`, …) that the operator does not allow
 * on the host although the driver could (upstream option image_type_exclude_list).
 */
export function capabilityTraits(
  capabilities: DriverCapabilities,
  excludeImageTypes: readonly string[] = [],
): CapabilityTraits {
  const excluded = new Set(excludeImageTypes.map((t) => `${IMAGE_TYPE}${t.toLowerCase()}`));
  const present: string[] = [];
  const absent: string[] = [];
  for (const flag of WITH_TRAIT)
    (capabilities[flag] && !excluded.has(flag) ? present : absent).push(CAPABILITY_TRAITS[flag]);
  return { present, absent };
}
