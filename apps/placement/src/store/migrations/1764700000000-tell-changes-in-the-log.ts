import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a claim or its removal changed, so that replicas need not read the tree again. Null: read it again. */
export class TellChangesInTheLog1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, ['ALTER TABLE change_log ADD COLUMN detail {json}']);
  }
  async down(): Promise<void> {
    throw new Error('a column is not taken away: the release before does not know it, and needs nothing');
  }
}
