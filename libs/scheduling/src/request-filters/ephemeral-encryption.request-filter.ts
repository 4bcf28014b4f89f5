import { asksFor, flavorOrImage } from '../flavor-and-image';
import { defineRequestFilter, rootRequired } from './request-filter';

/** Encryption of local disks, and its format where one is named. */
export const ephemeralEncryptionFilter = defineRequestFilter({
  name: 'ephemeral_encryption_filter',
  apply(request) {
    if (!asksFor(request, 'ephemeral_encryption')) return null;
    const format = flavorOrImage(request, 'ephemeral_encryption_format');
    const traits = format ? [`COMPUTE_EPHEMERAL_ENCRYPTION_${format.toUpperCase()}`] : [];
    return rootRequired('COMPUTE_EPHEMERAL_ENCRYPTION', ...traits);
  },
});
