import { Id, Instant, Int, Json, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** Why a server landed where it did, or nowhere: one row per attempt, written by the scheduler. */
@Entity('schedule_attempts')
@Index('uq_schedule_attempts_uuid', ['uuid'], { unique: true })
@Index('ix_schedule_attempts_server', ['server_uuid', 'id'])
@Index('ix_schedule_attempts_started', ['started_at'])
export class ScheduleAttemptRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Uuid() server_uuid: string;
  @Uuid({ nullable: true }) task_uuid: string | null;
  @Str(64) request_id: string;
  @Str(32) operation: string;
  @Str(32) outcome: string;
  @Str(1024) summary: string;
  @Json() report: string;
  @Instant() started_at: number;
  @Int() duration_ms: number;
}
