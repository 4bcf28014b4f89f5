import { randomUUID } from 'node:crypto';
import type { Flavor, FlavorFilters, FlavorPage, FlavorsRepository, NewFlavor } from '@fractus/compute-db';
import { conflict, invalid, notFound, type RequestContext } from '@fractus/objects';
import type { Projects } from '../projects/projects';
import { checkExtraSpecs } from './extra-specs';
import { checkLocalDiskSpec } from './local-disk';

export interface FlavorsDeps {
  readonly flavors: FlavorsRepository;
  readonly isAdmin: (ctx: RequestContext) => boolean;
  readonly now: () => number;
  readonly projects: Projects;
}

/** A flavor as asked for; without an id one is made up. Memory and swap in MiB, disks in GiB. */
export type FlavorWish = Omit<NewFlavor, 'flavorId' | 'disabled' | 'extraSpecs'> & { readonly flavorId: string | null };

export type FlavorListWish = Omit<FlavorFilters, 'projectId' | 'disabled'>;

/** What one may do with flavors. Operators see and use all, others the public ones and those they were given. */
export class Flavors {
  constructor(private readonly deps: FlavorsDeps) {}

  /** `not_found` where it does not exist or the asker may not use it. */
  get(ctx: RequestContext, flavorId: string): Promise<Flavor> {
    return this.deps.flavors.get(flavorId, this.projectOf(ctx));
  }

  list(ctx: RequestContext, wish: FlavorListWish, page: FlavorPage): Promise<Flavor[]> {
    const admin = this.deps.isAdmin(ctx);
    // only operators may look beyond what they can use
    const filters = admin
      ? { ...wish, projectId: ctx.projectId }
      : { ...wish, isPublic: true, disabled: false, projectId: ctx.projectId };
    return this.deps.flavors.list(filters, page);
  }

  /** `conflict` when the name or the id is taken. */
  create(wish: FlavorWish): Promise<Flavor> {
    return this.deps.flavors.create(
      { ...wish, flavorId: wish.flavorId ?? randomUUID(), disabled: false, extraSpecs: {} },
      this.deps.now(),
    );
  }

  async describe(flavorId: string, description: string | null): Promise<Flavor> {
    await this.deps.flavors.setDescription(flavorId, description, this.deps.now());
    return this.deps.flavors.get(flavorId, null);
  }

  delete(flavorId: string): Promise<void> {
    return this.deps.flavors.delete(flavorId);
  }

  /**
   * `invalid` for a value longer than a spec may be, one that its name does not allow (`checked`), or one that forbids
   * local disks to a flavor that has some.
   */
  async setExtraSpecs(
    flavorId: string,
    specs: Readonly<Record<string, string | number>>,
    checked: boolean,
  ): Promise<void> {
    const texts = Object.fromEntries(Object.entries(specs).map(([key, value]) => [key, String(value)]));
    for (const [key, value] of Object.entries(texts)) {
      if (value.length > 255)
        throw invalid(`The value of extra spec ${key} is longer than 255 characters.`, { code: 'flavor.spec_value' });
    }
    if (checked) checkExtraSpecs(texts);
    const flavor = await this.deps.flavors.get(flavorId, null);
    checkLocalDiskSpec({ ...flavor, extraSpecs: { ...flavor.extraSpecs, ...texts } });
    await this.deps.flavors.changeExtraSpecs(flavorId, texts, this.deps.now());
  }

  /** `not_found` when the flavor has no such spec. */
  async removeExtraSpec(flavorId: string, key: string): Promise<void> {
    await this.deps.flavors.changeExtraSpecs(flavorId, { [key]: null }, this.deps.now());
  }

  /** Projects that a private flavor is given to; `not_found` for a public one. */
  async access(ctx: RequestContext, flavorId: string): Promise<string[]> {
    const flavor = await this.get(ctx, flavorId);
    if (flavor.isPublic) throw notFound('Access list not available for public flavors.', { code: 'flavor.public' });
    return this.deps.flavors.projects(flavor);
  }

  /**
   * `invalid` for what is no project; `conflict` when it has access, or, with `refusePublic`, when the flavor is public.
   */
  async addAccess(ctx: RequestContext, flavorId: string, projectId: string, refusePublic: boolean): Promise<string[]> {
    await this.deps.projects.verify(ctx, projectId);
    const flavor = await this.get(ctx, flavorId);
    if (refusePublic && flavor.isPublic)
      throw conflict('Can not add access to a public flavor.', { code: 'flavor.public' });
    await this.deps.flavors.addProject(flavor, projectId);
    return this.deps.flavors.projects(flavor);
  }

  async removeAccess(ctx: RequestContext, flavorId: string, projectId: string): Promise<string[]> {
    const flavor = await this.get(ctx, flavorId);
    await this.deps.flavors.removeProject(flavor, projectId);
    return this.deps.flavors.projects(flavor);
  }

  private projectOf(ctx: RequestContext): string | null {
    return this.deps.isAdmin(ctx) ? null : (ctx.projectId ?? '');
  }
}
