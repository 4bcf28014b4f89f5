import { flavorOrImage } from '../flavor-and-image';
import { defineRequestFilter, rootRequired } from './request-filter';

/** A virtio sound device. */
export const virtioSoundFilter = defineRequestFilter({
  name: 'virtio_sound_filter',
  apply: (request) =>
    flavorOrImage(request, 'sound_model') === 'virtio' ? rootRequired('COMPUTE_SOUND_MODEL_VIRTIO') : null,
});
