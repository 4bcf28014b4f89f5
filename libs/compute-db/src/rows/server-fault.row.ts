import { Id, Instant, Int, LongText, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** Why a server is in ERROR. `message` is for its owner, `details` for operators. */
@Entity('server_faults')
@Index('ix_server_faults_server', ['server_uuid', 'id'])
export class ServerFaultRow {
  @Id() id: number;
  @Uuid() server_uuid: string;
  @Int() code: number;
  @Str(1024) message: string;
  @LongText({ nullable: true }) details: string | null;
  @Str(255, { nullable: true }) host: string | null;
  @Instant() created_at: number;
}
