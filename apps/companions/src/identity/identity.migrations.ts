import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'VARCHAR(64)';
const EXTRA = 'extra TEXT NOT NULL';

/** First tables of identity. Ids are 32 hexadecimal digits, or words such as `default`; `*_at` are epoch milliseconds. */
export class CreateIdentity1764460800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...DIRECTORY, ...CATALOG, ...TOKENS]) await runner.query(sql);
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
  `CREATE TABLE domains (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL UNIQUE, description TEXT, enabled INTEGER NOT NULL,
    tags TEXT NOT NULL, tokens_not_before BIGINT NOT NULL, ${EXTRA})`,
  `CREATE TABLE projects (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL, domain_id ${ID} NOT NULL, parent_id ${ID} NOT NULL,
    description TEXT, enabled INTEGER NOT NULL, tags TEXT NOT NULL, tokens_not_before BIGINT NOT NULL, ${EXTRA}, UNIQUE (domain_id, name))`,
  `CREATE TABLE users (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, domain_id ${ID} NOT NULL, default_project_id ${ID},
    description TEXT, email VARCHAR(255), enabled INTEGER NOT NULL, password_hash TEXT, tokens_not_before BIGINT NOT NULL, ${EXTRA},
    UNIQUE (domain_id, name))`,
  `CREATE TABLE user_groups (id ${ID} PRIMARY KEY, name VARCHAR(64) NOT NULL, domain_id ${ID} NOT NULL, description TEXT, ${EXTRA},
    UNIQUE (domain_id, name))`,
  `CREATE TABLE user_group_members (group_id ${ID} NOT NULL, user_id ${ID} NOT NULL, PRIMARY KEY (group_id, user_id))`,
  'CREATE INDEX user_group_members_user ON user_group_members (user_id)',
  // domain_key is the domain id or '' for a global role: a unique key over NULL holds nothing
  `CREATE TABLE roles (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, domain_id ${ID}, domain_key ${ID} NOT NULL, description TEXT,
    ${EXTRA}, UNIQUE (name, domain_key))`,
  `CREATE TABLE implied_roles (prior_role_id ${ID} NOT NULL, implied_role_id ${ID} NOT NULL, PRIMARY KEY (prior_role_id, implied_role_id))`,
  `CREATE TABLE role_assignments (actor_type VARCHAR(8) NOT NULL, actor_id ${ID} NOT NULL, target_type VARCHAR(8) NOT NULL,
    target_id ${ID} NOT NULL, role_id ${ID} NOT NULL, inherited INTEGER NOT NULL,
    PRIMARY KEY (actor_id, target_id, role_id, actor_type, target_type, inherited))`,
  'CREATE INDEX role_assignments_target ON role_assignments (target_id)',
];

const CATALOG = [
  `CREATE TABLE services (id ${ID} PRIMARY KEY, type VARCHAR(255) NOT NULL, name VARCHAR(255), description TEXT, enabled INTEGER NOT NULL, ${EXTRA})`,
  `CREATE TABLE regions (id VARCHAR(255) PRIMARY KEY, parent_region_id VARCHAR(255), description TEXT, ${EXTRA})`,
  `CREATE TABLE endpoints (id ${ID} PRIMARY KEY, service_id ${ID} NOT NULL, interface_name VARCHAR(16) NOT NULL, region_id VARCHAR(255),
    url TEXT NOT NULL, enabled INTEGER NOT NULL, ${EXTRA})`,
  'CREATE INDEX endpoints_service ON endpoints (service_id)',
];

const TOKENS = [
  `CREATE TABLE application_credentials (id ${ID} PRIMARY KEY, name VARCHAR(255) NOT NULL, description TEXT, user_id ${ID} NOT NULL,
    project_id ${ID} NOT NULL, unrestricted INTEGER NOT NULL, expires_at BIGINT, role_ids TEXT NOT NULL, access_rules TEXT NOT NULL,
    secret_hash TEXT NOT NULL, UNIQUE (user_id, name))`,
  `CREATE TABLE revocation_events (id ${ID} PRIMARY KEY, audit_id VARCHAR(32), audit_chain_id VARCHAR(32), user_id ${ID}, project_id ${ID},
    domain_id ${ID}, role_id ${ID}, issued_before BIGINT NOT NULL, revoked_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
  'CREATE INDEX revocation_events_audit ON revocation_events (audit_id)',
  'CREATE INDEX revocation_events_revoked ON revocation_events (revoked_at)',
];

export const IDENTITY_MIGRATIONS = [CreateIdentity1764460800000];
