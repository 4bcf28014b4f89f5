import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TASK_COLUMNS = {
  step_at: '{instant}',
  awaits_host: 'VARCHAR(255)',
  sent_by: 'VARCHAR(255)',
  guest_event: '{json}',
  left_guests: 'SMALLINT',
  end_requested_at: '{instant}',
  end_requested_by: 'VARCHAR(255)',
  end_reason: 'VARCHAR(255)',
};

const UP = [
  ...Object.entries(TASK_COLUMNS).map(([name, type]) => `ALTER TABLE tasks ADD COLUMN ${name} ${type}`),
  'CREATE INDEX ix_tasks_type ON tasks (type, id)',
  'CREATE INDEX ix_tasks_finished ON tasks (finished_at)',
  'CREATE INDEX ix_tasks_left ON tasks (left_guests, status)',
  'ALTER TABLE services ADD COLUMN rpc_user VARCHAR(255)',
  `CREATE TABLE duties (
    name VARCHAR(64) NOT NULL,
    owner VARCHAR(255) NOT NULL,
    until_at {instant} NOT NULL,
    PRIMARY KEY (name)
  ) {options}`,
  `CREATE TABLE sightings (
    reconciler VARCHAR(64) NOT NULL,
    subject VARCHAR(255) NOT NULL,
    mark VARCHAR(255) NOT NULL,
    seen_at {instant} NOT NULL,
    PRIMARY KEY (reconciler, subject)
  ) {options}`,
];

/** Several conductors: who sends what, who owns a host, who reconciles; and what operators ask of tasks. */
export class ShareTasksAmongConductors1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    const dropIndex = (name: string): string =>
      runner.connection.options.type === 'mysql' ? `DROP INDEX ${name} ON tasks` : `DROP INDEX ${name}`;
    await runDdl(runner, [
      'DROP TABLE sightings',
      'DROP TABLE duties',
      'ALTER TABLE services DROP COLUMN rpc_user',
      ...['ix_tasks_left', 'ix_tasks_finished', 'ix_tasks_type'].map(dropIndex),
      ...Object.keys(TASK_COLUMNS).map((name) => `ALTER TABLE tasks DROP COLUMN ${name}`),
    ]);
  }
}
