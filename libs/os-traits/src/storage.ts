/** Kinds of disk behind a provider. */
export const STORAGE_TRAITS = ['STORAGE_DISK_HDD', 'STORAGE_DISK_SSD'] as const;
