/** Who may do what: readers see their project's volumes, members change them, types are the administrator's. */
import type { RequestContext } from '@fractus/objects';
import { denied } from './volume-errors';

export const isAdmin = (ctx: RequestContext): boolean => ctx.roles.includes('admin');

/** @throws forbidden without a role beyond reading, or without a project */
export function requireWriter(ctx: RequestContext, rule: string): string {
  const writes = ['admin', 'manager', 'member', 'service'].some((role) => ctx.roles.includes(role));
  if (!writes || ctx.projectId === null) throw denied(rule);
  return ctx.projectId;
}

/** @throws forbidden */
export function requireAdmin(ctx: RequestContext, rule: string): void {
  if (!isAdmin(ctx)) throw denied(rule);
}
