/** Rows of placement's own database. */
import { Entity, Index } from 'typeorm';
import { Id, Instant, Int, IntKey, Key, LongText, Real, Str, Uuid } from '@fractus/database';

@Entity('resource_classes')
@Index('uq_resource_classes_name', ['name'], { unique: true })
export class ResourceClassRow {
  /** Standard classes have fixed ids from 0, custom ones follow from 10000. */
  @IntKey() id: number;
  @Str() name: string;
  @Instant() updated_at: number;
}

@Entity('traits')
@Index('uq_traits_name', ['name'], { unique: true })
export class TraitRow {
  @Id() id: number;
  @Str() name: string;
  @Instant() updated_at: number;
}

@Entity('resource_providers')
@Index('uq_resource_providers_uuid', ['uuid'], { unique: true })
@Index('uq_resource_providers_name', ['name'], { unique: true })
@Index('ix_resource_providers_root', ['root_id'])
@Index('ix_resource_providers_parent', ['parent_id'])
export class ProviderRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str(200) name: string;
  /** What clients see and send back. */
  @Int() generation: number;
  /** Grows with every write, also with those that leave the generation alone; never leaves the service. */
  @Int() revision: number;
  @Int({ nullable: true }) parent_id: number | null;
  /** The root of its tree; its own id for a root. */
  @Int() root_id: number;
  @Instant() created_at: number;
  @Instant() updated_at: number;
}

@Entity('inventories')
export class InventoryRow {
  @IntKey() provider_id: number;
  @IntKey() resource_class_id: number;
  @Int() total: number;
  @Int() reserved: number;
  @Int() min_unit: number;
  @Int() max_unit: number;
  @Int() step_size: number;
  @Real() allocation_ratio: number;
  @Instant() updated_at: number;
}

@Entity('provider_traits')
export class ProviderTraitRow {
  @IntKey() provider_id: number;
  @IntKey() trait_id: number;
}

@Entity('provider_aggregates')
export class ProviderAggregateRow {
  @IntKey() provider_id: number;
  @Key(36) aggregate_uuid: string;
}

/** Who holds allocations: a server, a migration. Lives as long as it holds any. */
@Entity('consumers')
@Index('uq_consumers_uuid', ['uuid'], { unique: true })
@Index('ix_consumers_project', ['project_id', 'user_id'])
export class ConsumerRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Int() generation: number;
  @Str() project_id: string;
  @Str() user_id: string;
  @Str(255, { nullable: true }) consumer_type: string | null;
  @Instant() created_at: number;
  @Instant() updated_at: number;
}

@Entity('allocations')
@Index('ix_allocations_provider', ['provider_id', 'resource_class_id', 'used'])
export class AllocationRow {
  @IntKey() consumer_id: number;
  @IntKey() provider_id: number;
  @IntKey() resource_class_id: number;
  @Int() used: number;
  @Instant() updated_at: number;
}

/** The highest fence seen for a consumer. Outlives the consumer, so that a late claim of a dead task is refused. */
@Entity('consumer_fences')
export class ConsumerFenceRow {
  @Key(36) consumer_uuid: string;
  @Uuid() task_id: string;
  @Int() fence: number;
  @Instant() updated_at: number;
}

/** "This tree changed", and how where it was its usage alone (`detail`). Root 0 stands for the names of traits and resource classes. */
@Entity('change_log')
export class ChangeLogRow {
  @IntKey() seq: number;
  @Int() root_id: number;
  @Instant() at: number;
  @LongText({ nullable: true }) detail: string | null;
}

@Entity('placement_state')
export class PlacementStateRow {
  @IntKey() id: number;
  /** A new one after a restore makes every replica read everything again. */
  @Uuid() epoch: string;
  /** Log rows up to here are gone. */
  @Int() trimmed_through: number;
}
