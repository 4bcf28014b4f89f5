import { Id, Instant, LongText, Str } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** A public key of a user. The private half is never stored. */
@Entity('key_pairs')
@Index('uq_key_pairs_user_name', ['user_id', 'name'], { unique: true })
export class KeyPairRow {
  @Id() id: number;
  @Str(64) user_id: string;
  @Str() name: string;
  /** `ssh` or `x509`. */
  @Str(16) type: string;
  @Str(255) fingerprint: string;
  @LongText() public_key: string;
  @Instant() created_at: number;
}
