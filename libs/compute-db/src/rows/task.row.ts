import { Flag, Id, Instant, Int, Json, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/**
 * A long operation, and its outbox: messages are hints, this row says what there is to do. Writers other than the
 * creator hold the lease: every write says `WHERE id = ? AND fence = ? AND status = 'open'`.
 */
@Entity('tasks')
@Index('uq_tasks_uuid', ['uuid'], { unique: true })
@Index('uq_tasks_open', ['open_key'], { unique: true })
@Index('ix_tasks_due', ['status', 'ready_at'])
@Index('ix_tasks_server', ['server_uuid', 'id'])
@Index('ix_tasks_type', ['type', 'id'])
@Index('ix_tasks_finished', ['finished_at'])
@Index('ix_tasks_left', ['left_guests', 'status'])
export class TaskRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str(64) type: string;
  @Uuid() server_uuid: string;
  @Str(64) project_id: string;
  /** `open`, `done`, `failed`, `superseded`, `abandoned`. */
  @Str(16) status: string;
  /** The server's uuid while open, null after: a server has one open task. */
  @Uuid({ nullable: true }) open_key: string | null;
  @Str(64) step: string;
  /** Attempt of the current step, from 1. */
  @Int() attempt: number;
  /** `forward` or `undo`. */
  @Str(16) direction: string;
  /** What the creator handed over. */
  @Json() input: string;
  /** Results of the steps so far. */
  @Json() state: string;
  /** RequestContext of the request that asked for it. */
  @Json() context: string;
  @Int({ nullable: true }) action_id: number | null;
  /** Not before. Doubles as the silence deadline while `waiting`. */
  @Instant() ready_at: number;
  /** 1 while the step waits for an agent's answer. */
  @Flag() waiting: number;
  /** The host whose answer is awaited. */
  @Str(255, { nullable: true }) awaits_host: string | null;
  /** While `waiting`: the lease holder that sends the message, until it is known to have been taken; `ready_at` is then when another sends it. */
  @Str(255, { nullable: true }) sent_by: string | null;
  @Str(255, { nullable: true }) lease_owner: string | null;
  @Instant({ nullable: true }) lease_until: number | null;
  @Int() fence: number;
  /** Absolute cap; past it the task fails whatever it hears. */
  @Instant() expires_at: number;
  /** Uuid of the task that this one took over from. */
  @Uuid({ nullable: true }) supersedes: string | null;
  @Json({ nullable: true }) error: string | null;
  /** When the current attempt of the current step began; null where an older release wrote it. */
  @Instant({ nullable: true }) step_at: number | null;
  /** A GuestEvent that came while the task was open: looked at in the transaction that ends it. */
  @Json({ nullable: true }) guest_event: string | null;
  /** Of an ended task: 1 when hosts are left with a guest (`left` in the state), else 0; null where nobody has looked. */
  @Flag({ nullable: true }) left_guests: number | null;
  /** An operator wants it ended: when, who, why. */
  @Instant({ nullable: true }) end_requested_at: number | null;
  @Str(255, { nullable: true }) end_requested_by: string | null;
  @Str(255, { nullable: true }) end_reason: string | null;
  @Instant() created_at: number;
  @Instant() updated_at: number;
  @Instant({ nullable: true }) finished_at: number | null;
}
