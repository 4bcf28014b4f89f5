/** Wire shapes of identity that are more than a record. */
import type { CatalogEntry } from './catalog';
import type { ApplicationCredentialRow, RevocationRow, RoleRow } from './identity.rows';
import type { LiveToken } from './tokens';

type Wire = Record<string, unknown>;

/** `2026-11-30T18:14:19.123000Z`: six digits, as the clients' format string expects. */
export const micros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

export const listOf = (key: string, items: unknown[], self: string): Wire => ({
  [key]: items,
  links: { next: null, previous: null, self },
});

export function presentToken(token: LiveToken, catalog: CatalogEntry[] | null): Wire {
  const { content, user, userDomain, project, projectDomain, domain, applicationCredential: credential } = token;
  const body: Wire = {
    methods: content.methods,
    user: {
      domain: { id: userDomain.id, name: userDomain.name },
      id: user.id,
      name: user.name,
      password_expires_at: null,
    },
    audit_ids: content.auditIds,
    expires_at: micros(content.expiresAt),
    issued_at: micros(content.issuedAt),
  };
  if (project) {
    body['project'] = {
      domain: { id: projectDomain?.id, name: projectDomain?.name },
      id: project.id,
      name: project.name,
    };
    body['is_domain'] = false;
  }
  if (domain) body['domain'] = { id: domain.id, name: domain.name };
  if (token.systemScope) body['system'] = { all: true };
  if (token.roleRows.length > 0) body['roles'] = token.roleRows.map(({ id, name }) => ({ id, name }));
  if (catalog && content.scope.kind !== 'unscoped') body['catalog'] = catalog;
  if (credential) {
    body['application_credential'] = {
      id: credential.id,
      name: credential.name,
      restricted: Number(credential.unrestricted) !== 1,
    };
  }
  return { token: body };
}

export function presentApplicationCredential(
  row: ApplicationCredentialRow,
  roles: readonly RoleRow[],
  origin: string,
): Wire {
  const held = new Set(JSON.parse(row.role_ids) as string[]);
  const rules = JSON.parse(row.access_rules) as unknown[];
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    project_id: row.project_id,
    user_id: row.user_id,
    system: null,
    unrestricted: Number(row.unrestricted) === 1,
    expires_at: row.expires_at === null ? null : micros(Number(row.expires_at)).replace('Z', ''),
    roles: roles.filter((r) => held.has(r.id)).map(({ id, name, domain_id }) => ({ id, name, domain_id })),
    ...(rules.length ? { access_rules: rules } : {}),
    links: { self: `${origin}/v3/users/${row.user_id}/application_credentials/${row.id}` },
  };
}

export function presentRevocation(row: RevocationRow): Wire {
  const ids = {
    audit_id: row.audit_id,
    audit_chain_id: row.audit_chain_id,
    user_id: row.user_id,
    project_id: row.project_id,
  };
  const more = { domain_id: row.domain_id, role_id: row.role_id };
  const given = Object.entries({ ...ids, ...more }).filter(([, id]) => id !== null);
  return {
    ...Object.fromEntries(given),
    issued_before: micros(Number(row.issued_before)),
    revoked_at: micros(Number(row.revoked_at)),
  };
}

/** The version document; clients find the API by it. */
export function presentVersion(origin: string): Wire {
  return {
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${origin}/v3/` }],
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
  };
}
