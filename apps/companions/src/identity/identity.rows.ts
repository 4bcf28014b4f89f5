/** Rows as they are read. Booleans are 0 or 1, instants epoch milliseconds, JSON is text. */
export interface DomainRow {
  id: string;
  name: string;
  description: string | null;
  enabled: number;
  tags: string;
  tokens_not_before: number;
  extra: string;
}
export interface ProjectRow extends DomainRow {
  domain_id: string;
  parent_id: string;
}
export interface UserRow {
  id: string;
  name: string;
  domain_id: string;
  default_project_id: string | null;
  description: string | null;
  email: string | null;
  enabled: number;
  password_hash: string | null;
  /** Tokens issued before this instant no longer hold. */
  tokens_not_before: number;
  extra: string;
}
export interface RoleRow {
  id: string;
  name: string;
  domain_id: string | null;
  description: string | null;
}
export interface ServiceRow {
  id: string;
  type: string;
  name: string | null;
  enabled: number;
}
export interface EndpointRow {
  id: string;
  service_id: string;
  interface_name: string;
  region_id: string | null;
  url: string;
  enabled: number;
}
export interface ApplicationCredentialRow {
  id: string;
  name: string;
  description: string | null;
  user_id: string;
  project_id: string;
  unrestricted: number;
  expires_at: number | null;
  role_ids: string;
  access_rules: string;
  secret_hash: string;
}
export interface RevocationRow {
  audit_id: string | null;
  audit_chain_id: string | null;
  user_id: string | null;
  project_id: string | null;
  domain_id: string | null;
  role_id: string | null;
  issued_before: number;
  revoked_at: number;
}
