import { ZONE_KEY, type Aggregate } from '@fractus/compute-db';
import { isoTimeMicros } from '@fractus/http';

export function aggregateView(aggregate: Aggregate): Record<string, unknown> {
  return { ...newAggregateView(aggregate), hosts: aggregate.hosts, metadata: aggregate.metadata };
}

/** What a create answers: a new aggregate shows neither hosts nor metadata. */
export function newAggregateView(aggregate: Aggregate): Record<string, unknown> {
  return {
    id: aggregate.id,
    uuid: aggregate.uuid,
    name: aggregate.name,
    availability_zone: aggregate.metadata[ZONE_KEY] ?? null,
    created_at: isoTimeMicros(aggregate.createdAt),
    updated_at: isoTimeMicros(aggregate.updatedAt),
    deleted: false,
    deleted_at: null,
  };
}
