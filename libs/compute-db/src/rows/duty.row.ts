import { Instant, Key, Str } from '@fractus/database';
import { Entity } from 'typeorm';

/** What one process at a time does for all: who does it, and until when nobody else may. */
@Entity('duties')
export class DutyRow {
  @Key(64) name: string;
  @Str() owner: string;
  @Instant() until_at: number;
}

/** What a reconciler has seen that is not as it should be; `seen_at`: since when unchanged, by `mark`. */
@Entity('sightings')
export class SightingRow {
  @Key(64) reconciler: string;
  @Key() subject: string;
  @Str() mark: string;
  @Instant() seen_at: number;
}
