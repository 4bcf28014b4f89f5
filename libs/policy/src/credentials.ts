import type { RequestContext } from '@fractus/objects';

/** What checks may ask of the one who asks, under the names that policy files use. */
export type Credentials = Readonly<Record<string, unknown>>;

const cache = new WeakMap<RequestContext, Credentials>();

/** The context's policy values (oslo.context names). Made once per context. */
export function credentialsOf(ctx: RequestContext): Credentials {
  let creds = cache.get(ctx);
  if (!creds) cache.set(ctx, (creds = build(ctx)));
  return creds;
}

function build(ctx: RequestContext): Credentials {
  return {
    user_id: ctx.userId,
    user_domain_id: ctx.userDomainId ?? null,
    project_id: ctx.projectId,
    tenant: ctx.projectId,
    project_domain_id: ctx.projectDomainId ?? null,
    domain_id: ctx.domainId ?? null,
    system_scope: ctx.systemScope ?? null,
    // only where there is one: a check against an absent value never holds
    ...(ctx.systemScope ? { system: ctx.systemScope } : {}),
    roles: ctx.roles,
    service_roles: ctx.serviceRoles ?? [],
    is_admin_project: true,
  };
}
