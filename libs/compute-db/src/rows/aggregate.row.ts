import { Id, Instant, IntKey, Json, Key, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** A named set of hosts with metadata; `availability_zone` among the metadata makes it a zone. */
@Entity('aggregates')
@Index('uq_aggregates_uuid', ['uuid'], { unique: true })
@Index('uq_aggregates_name', ['name'], { unique: true })
export class AggregateRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str() name: string;
  @Json() metadata: string;
  @Instant() created_at: number;
  @Instant({ nullable: true }) updated_at: number | null;
}

@Entity('aggregate_hosts')
@Index('ix_aggregate_hosts_host', ['host'])
export class AggregateHostRow {
  @IntKey() aggregate_id: number;
  @Key(255) host: string;
}
