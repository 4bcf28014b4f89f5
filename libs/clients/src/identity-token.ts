/** A Keystone v3 token as the rest of the system sees it, and its mapping from the wire. */
import { FractusError, type RequestContext } from '@fractus/objects';
import { ServiceCatalog } from './service-catalog';

export interface ValidatedToken {
  readonly userId: string;
  readonly userName: string;
  readonly userDomainId: string;
  readonly projectId: string | null;
  readonly projectName?: string;
  readonly projectDomainId?: string;
  /** Set for a domain-scoped token. */
  readonly domainId: string | null;
  /** `all` for a system-scoped token. */
  readonly systemScope: string | null;
  /** Names, implied ones included. */
  readonly roles: readonly string[];
  readonly methods: readonly string[];
  /** First the token's own audit id, then that of the chain it came from. */
  readonly auditIds: readonly string[];
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly catalog: ServiceCatalog;
}

/** What a request's context takes from its token. */
export type TokenContext = Pick<
  RequestContext,
  | 'userId'
  | 'userName'
  | 'userDomainId'
  | 'projectId'
  | 'projectName'
  | 'projectDomainId'
  | 'domainId'
  | 'systemScope'
  | 'roles'
>;

export function contextOfToken(token: ValidatedToken): TokenContext {
  return {
    userId: token.userId,
    userName: token.userName,
    userDomainId: token.userDomainId,
    projectId: token.projectId,
    ...(token.projectName === undefined ? {} : { projectName: token.projectName }),
    ...(token.projectDomainId === undefined ? {} : { projectDomainId: token.projectDomainId }),
    domainId: token.domainId,
    systemScope: token.systemScope,
    roles: token.roles,
  };
}

interface Named {
  id?: string;
  name?: string;
  domain?: { id?: string };
}
interface WireToken {
  user?: Named;
  project?: Named;
  domain?: Named;
  system?: { all?: boolean };
  roles?: Named[];
  methods?: string[];
  audit_ids?: string[];
  issued_at?: string;
  expires_at?: string;
  catalog?: unknown;
}

/** @throws unavailable where identity's answer is not a token. */
export function tokenOfWire(body: unknown): ValidatedToken {
  const wire = (body as { token?: WireToken } | undefined)?.token;
  const expiresAt = Date.parse(wire?.expires_at ?? '');
  if (!wire?.user?.id || Number.isNaN(expiresAt)) {
    throw new FractusError('unavailable', 'identity answered something that is not a token', {
      code: 'identity.unavailable',
    });
  }
  const { user, project } = wire;
  return {
    userId: wire.user.id,
    userName: user?.name ?? '',
    userDomainId: user?.domain?.id ?? 'default',
    projectId: project?.id ?? null,
    ...(project?.name === undefined ? {} : { projectName: project.name }),
    ...(project?.domain?.id === undefined ? {} : { projectDomainId: project.domain.id }),
    domainId: wire.domain?.id ?? null,
    systemScope: wire.system?.all ? 'all' : null,
    roles: (wire.roles ?? []).flatMap((r) => (r.name ? [r.name] : [])),
    methods: wire.methods ?? [],
    auditIds: wire.audit_ids ?? [],
    issuedAt: Date.parse(wire.issued_at ?? '') || 0,
    expiresAt,
    catalog: ServiceCatalog.of(wire.catalog),
  };
}
