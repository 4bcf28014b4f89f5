/** Before 1.12 allocations were a list of providers; since then they are an object by provider. */
import type { View } from '@fractus/microversions';
import type { ListedAllocation, PutAllocations } from './dto/allocations.dto';

/** Reads the list form of a request as the object form. */
export function allocationsByProvider(body: PutAllocations): PutAllocations {
  const listed = body.allocations as unknown as ListedAllocation[];
  return {
    ...body,
    allocations: Object.fromEntries(listed.map((a) => [a.resource_provider.uuid, { resources: a.resources }])),
  };
}

/** Shows the object form of a candidate as the list form. */
export function listedAllocations(view: View): View {
  const allocations = Object.entries(view['allocations'] as Record<string, { resources: unknown }>);
  return {
    ...view,
    allocations: allocations.map(([uuid, { resources }]) => ({ resource_provider: { uuid }, resources })),
  };
}
