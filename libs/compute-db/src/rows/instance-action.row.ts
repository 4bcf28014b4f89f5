import { Id, Instant, Int, LongText, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** One request of a user against a server; survives the server. */
@Entity('instance_actions')
@Index('ix_instance_actions_server', ['server_uuid', 'updated_at', 'id'])
@Index('ix_instance_actions_request', ['server_uuid', 'request_id'])
export class InstanceActionRow {
  @Id() id: number;
  @Uuid() server_uuid: string;
  @Str(64) action: string;
  @Str(64) request_id: string;
  @Str(64, { nullable: true }) user_id: string | null;
  @Str(64, { nullable: true }) project_id: string | null;
  /** `Error` when it failed. */
  @Str(255, { nullable: true }) message: string | null;
  @Instant() started_at: number;
  @Instant({ nullable: true }) finished_at: number | null;
  @Instant() updated_at: number;
}

/** One step of an action, on conductor or on a host. */
@Entity('instance_action_events')
@Index('ix_instance_action_events_action', ['action_id'])
export class InstanceActionEventRow {
  @Id() id: number;
  @Int() action_id: number;
  @Str(64) event: string;
  @Instant() started_at: number;
  @Instant({ nullable: true }) finished_at: number | null;
  /** `Success` or `Error`; null while it runs. */
  @Str(16, { nullable: true }) result: string | null;
  @LongText({ nullable: true }) traceback: string | null;
  @Str(255, { nullable: true }) host: string | null;
  @Str(1024, { nullable: true }) details: string | null;
}
