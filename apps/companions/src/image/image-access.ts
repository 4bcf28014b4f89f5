/** Who may see and who may change an image. */
import type { RequestContext } from '@fractus/objects';
import { notYours } from './image-errors';
import type { ImageRow } from './image.rows';

export const isAdmin = (ctx: RequestContext): boolean => ctx.roles.includes('admin');

/** Whether the caller's project owns it, or it is open to all. A shared image also needs a membership. */
export function isOpenTo(ctx: RequestContext, image: ImageRow): boolean {
  if (isAdmin(ctx) || image.visibility === 'public' || image.visibility === 'community') return true;
  return image.owner !== null && image.owner === ctx.projectId;
}

/** Writers have a role beyond reading, and a project that owns the image (or none is asked yet). @throws forbidden */
export function requireWriter(ctx: RequestContext, what: string, image?: ImageRow): void {
  if (isAdmin(ctx)) return;
  const writes = ctx.roles.includes('member') || ctx.roles.includes('manager') || ctx.roles.includes('service');
  if (!writes || ctx.projectId === null || (image && image.owner !== ctx.projectId)) throw notYours(what);
}

/** Making an image public is the administrator's. @throws forbidden */
export function requirePublisher(ctx: RequestContext, visibility: string | undefined): void {
  if (visibility === 'public' && !isAdmin(ctx)) throw notYours('make an image public');
}

/** Giving an image to another project is the administrator's. @throws forbidden */
export function requireOwnership(ctx: RequestContext, owner: string | null | undefined): void {
  if (owner !== undefined && owner !== ctx.projectId && !isAdmin(ctx))
    throw notYours(`create images owned by '${owner}'`);
}
