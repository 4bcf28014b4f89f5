import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateImages1764460800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      `CREATE TABLE images (id CHAR(36) PRIMARY KEY, name VARCHAR(255), status VARCHAR(16) NOT NULL, visibility VARCHAR(16) NOT NULL,
        owner VARCHAR(64), protected {int} NOT NULL, os_hidden {int} NOT NULL, disk_format VARCHAR(32), container_format VARCHAR(32),
        size {int}, virtual_size {int}, min_disk {int} NOT NULL, min_ram {int} NOT NULL, checksum CHAR(32), os_hash_algo VARCHAR(16),
        os_hash_value VARCHAR(128), data_file VARCHAR(64), created_at {instant} NOT NULL, updated_at {instant} NOT NULL) {options}`,
      'CREATE INDEX images_created ON images (created_at, id)',
      'CREATE INDEX images_owner ON images (owner)',
      'CREATE INDEX images_name ON images (name)',
      'CREATE TABLE image_properties (image_id CHAR(36) NOT NULL, name VARCHAR(255) NOT NULL, value {json} NOT NULL, PRIMARY KEY (image_id, name)) {options}',
      'CREATE TABLE image_tags (image_id CHAR(36) NOT NULL, tag VARCHAR(255) NOT NULL, PRIMARY KEY (image_id, tag)) {options}',
      `CREATE TABLE image_members (image_id CHAR(36) NOT NULL, member_id VARCHAR(64) NOT NULL, status VARCHAR(16) NOT NULL,
        created_at {instant} NOT NULL, updated_at {instant} NOT NULL, PRIMARY KEY (image_id, member_id)) {options}`,
      'CREATE INDEX image_members_member ON image_members (member_id)',
    ];
    await runDdl(runner, statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['image_members', 'image_tags', 'image_properties', 'images'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

export const IMAGE_MIGRATIONS = [CreateImages1764460800001];
