import { Flag, Id, Instant, Int, IntKey, Json, Key, LongText, Real, Str } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** Memory and swap in MiB, disks in GiB. */
@Entity('flavors')
@Index('uq_flavors_flavor_id', ['flavor_id'], { unique: true })
@Index('uq_flavors_name', ['name'], { unique: true })
export class FlavorRow {
  @Id() id: number;
  /** The id that clients see. */
  @Str() flavor_id: string;
  @Str() name: string;
  @Int() vcpus: number;
  @Int() memory_mb: number;
  @Int() root_gb: number;
  @Int() ephemeral_gb: number;
  @Int() swap_mb: number;
  @Real() rxtx_factor: number;
  @Flag() disabled: number;
  @Flag() is_public: number;
  @LongText({ nullable: true }) description: string | null;
  @Json() extra_specs: string;
  @Instant() created_at: number;
  @Instant({ nullable: true }) updated_at: number | null;
}

/** Who may use a private flavor. */
@Entity('flavor_projects')
export class FlavorProjectRow {
  @IntKey() flavor_row_id: number;
  @Key(64) project_id: string;
}
