import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  `CREATE TABLE resource_classes (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(255) NOT NULL,
    updated_at {instant} NOT NULL
  ) {options}`,
  'CREATE UNIQUE INDEX uq_resource_classes_name ON resource_classes (name)',
  `CREATE TABLE traits (
    id {pk},
    name VARCHAR(255) NOT NULL,
    updated_at {instant} NOT NULL
  ) {options}`,
  'CREATE UNIQUE INDEX uq_traits_name ON traits (name)',
  `CREATE TABLE resource_providers (
    id {pk},
    uuid VARCHAR(36) NOT NULL,
    name VARCHAR(200) NOT NULL,
    generation INTEGER NOT NULL,
    revision BIGINT NOT NULL,
    parent_id BIGINT,
    root_id BIGINT NOT NULL,
    created_at {instant} NOT NULL,
    updated_at {instant} NOT NULL
  ) {options}`,
  'CREATE UNIQUE INDEX uq_resource_providers_uuid ON resource_providers (uuid)',
  'CREATE UNIQUE INDEX uq_resource_providers_name ON resource_providers (name)',
  'CREATE INDEX ix_resource_providers_root ON resource_providers (root_id)',
  'CREATE INDEX ix_resource_providers_parent ON resource_providers (parent_id)',
  `CREATE TABLE inventories (
    provider_id BIGINT NOT NULL,
    resource_class_id INTEGER NOT NULL,
    total BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    min_unit BIGINT NOT NULL,
    max_unit BIGINT NOT NULL,
    step_size BIGINT NOT NULL,
    allocation_ratio {double} NOT NULL,
    updated_at {instant} NOT NULL,
    PRIMARY KEY (provider_id, resource_class_id),
    FOREIGN KEY (provider_id) REFERENCES resource_providers (id),
    FOREIGN KEY (resource_class_id) REFERENCES resource_classes (id)
  ) {options}`,
  `CREATE TABLE provider_traits (
    provider_id BIGINT NOT NULL,
    trait_id BIGINT NOT NULL,
    PRIMARY KEY (provider_id, trait_id),
    FOREIGN KEY (provider_id) REFERENCES resource_providers (id),
    FOREIGN KEY (trait_id) REFERENCES traits (id)
  ) {options}`,
  `CREATE TABLE provider_aggregates (
    provider_id BIGINT NOT NULL,
    aggregate_uuid VARCHAR(36) NOT NULL,
    PRIMARY KEY (provider_id, aggregate_uuid),
    FOREIGN KEY (provider_id) REFERENCES resource_providers (id)
  ) {options}`,
  `CREATE TABLE consumers (
    id {pk},
    uuid VARCHAR(36) NOT NULL,
    generation INTEGER NOT NULL,
    project_id VARCHAR(255) NOT NULL,
    user_id VARCHAR(255) NOT NULL,
    consumer_type VARCHAR(255),
    created_at {instant} NOT NULL,
    updated_at {instant} NOT NULL
  ) {options}`,
  'CREATE UNIQUE INDEX uq_consumers_uuid ON consumers (uuid)',
  'CREATE INDEX ix_consumers_project ON consumers (project_id, user_id)',
  `CREATE TABLE allocations (
    consumer_id BIGINT NOT NULL,
    provider_id BIGINT NOT NULL,
    resource_class_id INTEGER NOT NULL,
    used BIGINT NOT NULL,
    updated_at {instant} NOT NULL,
    PRIMARY KEY (consumer_id, provider_id, resource_class_id),
    FOREIGN KEY (consumer_id) REFERENCES consumers (id),
    FOREIGN KEY (provider_id) REFERENCES resource_providers (id),
    FOREIGN KEY (resource_class_id) REFERENCES resource_classes (id)
  ) {options}`,
  'CREATE INDEX ix_allocations_provider ON allocations (provider_id, resource_class_id, used)',
  `CREATE TABLE consumer_fences (
    consumer_uuid VARCHAR(36) NOT NULL PRIMARY KEY,
    task_id VARCHAR(36) NOT NULL,
    fence BIGINT NOT NULL,
    updated_at {instant} NOT NULL
  ) {options}`,
  `CREATE TABLE change_log (
    seq {pk},
    root_id BIGINT NOT NULL,
    at {instant} NOT NULL
  ) {options}`,
  `CREATE TABLE placement_state (
    id INTEGER NOT NULL PRIMARY KEY,
    epoch VARCHAR(36) NOT NULL,
    trimmed_through BIGINT NOT NULL
  ) {options}`,
];

/** Everything placement keeps. */
export class CreatePlacementTables1764500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, TABLES);
  }
  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }
}
