import { asksFor } from '../flavor-and-image';
import { defineRequestFilter, rootRequired } from './request-filter';

/** Packed virtqueues asked for by flavor or image. */
export const packedVirtqueueFilter = defineRequestFilter({
  name: 'packed_virtqueue_filter',
  apply: (request) => (asksFor(request, 'virtio_packed_ring') ? rootRequired('COMPUTE_NET_VIRTIO_PACKED') : null),
});
