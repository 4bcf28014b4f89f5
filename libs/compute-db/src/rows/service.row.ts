import { Flag, Id, Instant, Int, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** A service record: one per host and binary. `last_seen_at` is written by heartbeats, the rest by operators. */
@Entity('services')
@Index('uq_services_uuid', ['uuid'], { unique: true })
@Index('uq_services_host_binary', ['host', 'binary_name'], { unique: true })
export class ServiceRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str() host: string;
  /** `nova-compute`, `nova-conductor`, `nova-scheduler`: the names that clients know. */
  @Str(64) binary_name: string;
  @Str(64) topic: string;
  @Flag() disabled: number;
  @Str(255, { nullable: true }) disabled_reason: string | null;
  @Flag() forced_down: number;
  @Instant({ nullable: true }) last_seen_at: number | null;
  @Int() report_count: number;
  @Int() version: number;
  /** Which agent process serves the host, and since when (epoch ms of its start). */
  @Str(255, { nullable: true }) agent_id: string | null;
  @Instant({ nullable: true }) incarnation: number | null;
  /** The broker's user that registered the host; null: registered where the transport knows no users. */
  @Str(255, { nullable: true }) rpc_user: string | null;
  @Instant() created_at: number;
  @Instant({ nullable: true }) updated_at: number | null;
}
