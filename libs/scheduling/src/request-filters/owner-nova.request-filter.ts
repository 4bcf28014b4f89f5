import { defineRequestFilter, rootRequired } from './request-filter';

/** Only providers that belong to compute, once every compute node says so. */
export const ownerNovaFilter = defineRequestFilter({
  name: 'owner_nova_filter',
  apply: (_request, { everyHostOwned }) => (everyHostOwned ? rootRequired('OWNER_NOVA') : null),
});
