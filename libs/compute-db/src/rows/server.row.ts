import { Flag, Id, Instant, Int, Json, LongText, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/**
 * A server. Who writes what: the API's action handler swaps (vm_state, task_state) when it creates a task; from then on
 * only the holder of the task's lease (`fence`) writes state, host and network columns. The API alone writes name,
 * description, metadata, tags, locks and addresses given by the user.
 */
@Entity('servers')
@Index('uq_servers_uuid', ['uuid'], { unique: true })
@Index('ix_servers_project_created', ['project_id', 'deleted', 'created_at', 'id'])
@Index('ix_servers_created', ['deleted', 'created_at', 'id'])
@Index('ix_servers_updated', ['updated_at'])
@Index('ix_servers_host', ['host', 'deleted'])
@Index('ix_servers_reservation', ['reservation_id'])
export class ServerRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str(64) project_id: string;
  @Str(64) user_id: string;
  @Str() name: string;
  @Str() hostname: string;
  @Str(255, { nullable: true }) description: string | null;
  @Str(32) vm_state: string;
  @Str(64, { nullable: true }) task_state: string | null;
  @Int() power_state: number;
  @Int() progress: number;
  /** Highest fence any task of this server was leased with. */
  @Int() fence: number;
  @Str(255, { nullable: true }) host: string | null;
  @Str(255, { nullable: true }) node: string | null;
  @Uuid({ nullable: true }) node_id: string | null;
  /** The zone that was asked for; the zone of the host is found through its aggregates. */
  @Str(255, { nullable: true }) availability_zone: string | null;
  @Str(255) flavor_id: string;
  /** FlavorSnapshot (libs/rpc-contracts). */
  @Json() flavor: string;
  @Int() vcpus: number;
  @Int() memory_mb: number;
  @Int() root_gb: number;
  @Int() ephemeral_gb: number;
  /** Image uuid, or empty for a server that boots from a volume. */
  @Str(36) image_ref: string;
  /** ImageSnapshot, or null. */
  @Json({ nullable: true }) image: string | null;
  @Str(255, { nullable: true }) key_name: string | null;
  @LongText({ nullable: true }) key_data: string | null;
  @LongText({ nullable: true }) user_data: string | null;
  @Flag() config_drive: number;
  @Str(64, { nullable: true }) access_ip_v4: string | null;
  @Str(64, { nullable: true }) access_ip_v6: string | null;
  /** null, `owner` or `admin`. */
  @Str(16, { nullable: true }) locked_by: string | null;
  @Str(255, { nullable: true }) locked_reason: string | null;
  @Json() metadata: string;
  @Json() system_metadata: string;
  /** JSON list of tags. */
  @Json() tags: string;
  /** JSON list of security group names as asked for. */
  @Json() security_groups: string;
  /** What was asked for: `none`, `auto`, or a list of {network, port, fixedIp, tag}. */
  @Json() requested_networks: string;
  /** JSON list of GuestNic as conductor made them. */
  @Json() nics: string;
  @Str(255, { nullable: true }) root_device_name: string | null;
  @Int() launch_index: number;
  @Str(64) reservation_id: string;
  /** `AUTO` or `MANUAL`. */
  @Str(16) disk_config: string;
  @Json({ nullable: true }) trusted_image_certificates: string | null;
  @Instant() created_at: number;
  @Instant({ nullable: true }) updated_at: number | null;
  @Instant({ nullable: true }) launched_at: number | null;
  @Instant({ nullable: true }) terminated_at: number | null;
  @Instant({ nullable: true }) deleted_at: number | null;
  /** 0 while the server lives, else its id: deleted servers stay visible to `deleted=true` and `changes-since`. */
  @Int() deleted: number;
}
