import { runDdl } from '@fractus/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'VARCHAR(64)';
const EXTRA = 'extra {json} NOT NULL';

/** First tables of identity. Ids are 32 hexadecimal digits, or words such as `default`; `*_at` are epoch milliseconds. */
export class CreateIdentity1764460800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runDdl(runner, [...DIRECTORY, ...CATALOG, ...TOKENS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = [
      'revocation_events',
      'application_credentials',
      'endpoints',
      'regions',
      'services',
      'role_assignments',
    ];
    tables.push('implied_roles', 'roles', 'user_group_members', 'user_groups', 'users', 'projects', 'domains');
    for (const table of tables) await runner.query(`DROP TABLE ${table}`);
  }
}

const DIRECTORY = [
  `CREATE TABLE domains (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL UNIQUE, description {json}, enabled {int} NOT NULL,
    tags {json} NOT NULL, tokens_not_before {instant} NOT NULL, ${EXTRA}) {options}`,
  `CREATE TABLE projects (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL, domain_id ${ID} NOT NULL, parent_id ${ID} NOT NULL,
    description {json}, enabled {int} NOT NULL, tags {json} NOT NULL, tokens_not_before {instant} NOT NULL, ${EXTRA}, UNIQUE (domain_id, name)) {options}`,
  `CREATE TABLE users (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, domain_id ${ID} NOT NULL, default_project_id ${ID},
    description {json}, email VARCHAR(255), enabled {int} NOT NULL, password_hash {json}, tokens_not_before {instant} NOT NULL, ${EXTRA},
    UNIQUE (domain_id, name)) {options}`,
  `CREATE TABLE user_groups (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL, domain_id ${ID} NOT NULL, description {json}, ${EXTRA},
    UNIQUE (domain_id, name)) {options}`,
  `CREATE TABLE user_group_members (group_id ${ID} NOT NULL, user_id ${ID} NOT NULL, PRIMARY KEY (group_id, user_id)) {options}`,
  'CREATE INDEX user_group_members_user ON user_group_members (user_id)',
  // domain_key is the domain id or '' for a global role: a unique key over NULL holds nothing
  `CREATE TABLE roles (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, domain_id ${ID}, domain_key ${ID} NOT NULL, description {json},
    ${EXTRA}, UNIQUE (name, domain_key)) {options}`,
  `CREATE TABLE implied_roles (prior_role_id ${ID} NOT NULL, implied_role_id ${ID} NOT NULL, PRIMARY KEY (prior_role_id, implied_role_id)) {options}`,
  `CREATE TABLE role_assignments (actor_type VARCHAR(8) NOT NULL, actor_id ${ID} NOT NULL, target_type VARCHAR(8) NOT NULL,
    target_id ${ID} NOT NULL, role_id ${ID} NOT NULL, inherited {int} NOT NULL,
    PRIMARY KEY (actor_id, target_id, role_id, actor_type, target_type, inherited)) {options}`,
  'CREATE INDEX role_assignments_target ON role_assignments (target_id)',
];

const CATALOG = [
  `CREATE TABLE services (id ${ID} PRIMARY KEY, type VARCHAR(255) NOT NULL, name VARCHAR(255), description {json}, enabled {int} NOT NULL, ${EXTRA}) {options}`,
  `CREATE TABLE regions (id VARCHAR(255) PRIMARY KEY, parent_region_id VARCHAR(255), description {json}, ${EXTRA}) {options}`,
  `CREATE TABLE endpoints (id ${ID} PRIMARY KEY, service_id ${ID} NOT NULL, interface_name VARCHAR(16) NOT NULL, region_id VARCHAR(255),
    url {json} NOT NULL, enabled {int} NOT NULL, ${EXTRA}) {options}`,
  'CREATE INDEX endpoints_service ON endpoints (service_id)',
];

const TOKENS = [
  `CREATE TABLE application_credentials (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, description {json}, user_id ${ID} NOT NULL,
    project_id ${ID} NOT NULL, unrestricted {int} NOT NULL, expires_at {instant}, role_ids {json} NOT NULL, access_rules {json} NOT NULL,
    secret_hash {json} NOT NULL, UNIQUE (user_id, name)) {options}`,
  `CREATE TABLE revocation_events (id ${ID} PRIMARY KEY, audit_id VARCHAR(32), audit_chain_id VARCHAR(32), user_id ${ID}, project_id ${ID},
    domain_id ${ID}, role_id ${ID}, issued_before {instant} NOT NULL, revoked_at {instant} NOT NULL, expires_at {instant} NOT NULL) {options}`,
  'CREATE INDEX revocation_events_audit ON revocation_events (audit_id)',
  'CREATE INDEX revocation_events_revoked ON revocation_events (revoked_at)',
];

export const IDENTITY_MIGRATIONS = [CreateIdentity1764460800000];
