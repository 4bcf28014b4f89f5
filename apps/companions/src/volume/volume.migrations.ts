import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'CHAR(36)';
const TIMES = 'created_at {instant} NOT NULL, updated_at {instant} NOT NULL';

export class CreateVolumes1764460800003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, [
      `CREATE TABLE volume_types (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL UNIQUE, description VARCHAR(255), is_public {int} NOT NULL,
        is_default {int} NOT NULL, extra_specs {json} NOT NULL, ${TIMES}) {options}`,
      `CREATE TABLE volume_type_access (type_id ${ID} NOT NULL, project_id VARCHAR(64) NOT NULL, PRIMARY KEY (type_id, project_id)) {options}`,
      `CREATE TABLE volumes (id ${ID} PRIMARY KEY, project_id VARCHAR(64) NOT NULL, user_id VARCHAR(64) NOT NULL, name VARCHAR(255),
        description VARCHAR(255), status VARCHAR(32) NOT NULL, size {int} NOT NULL, type_id ${ID} NOT NULL, availability_zone VARCHAR(255) NOT NULL,
        bootable {int} NOT NULL, multiattach {int} NOT NULL, source_volid ${ID}, metadata {json} NOT NULL, image_metadata {json} NOT NULL, ${TIMES}) {options}`,
      'CREATE INDEX volumes_project ON volumes (project_id, created_at)',
      'CREATE INDEX volumes_type ON volumes (type_id)',
      `CREATE TABLE volume_attachments (id ${ID} PRIMARY KEY, volume_id ${ID} NOT NULL, project_id VARCHAR(64) NOT NULL, server_id ${ID},
        status VARCHAR(32) NOT NULL, mode VARCHAR(8) NOT NULL, connector {json}, mountpoint VARCHAR(255), attached_at {instant}, ${TIMES}) {options}`,
      'CREATE INDEX volume_attachments_volume ON volume_attachments (volume_id)',
      'CREATE INDEX volume_attachments_server ON volume_attachments (server_id)',
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['volume_attachments', 'volumes', 'volume_type_access', 'volume_types'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

export const VOLUME_MIGRATIONS = [CreateVolumes1764460800003];
