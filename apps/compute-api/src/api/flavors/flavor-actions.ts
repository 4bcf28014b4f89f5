import type { ActionSpec } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { Flavors } from '../../app/flavors/flavors';
import type { NovaFlags } from '../api';
import { AddTenantAccessDto, RemoveTenantAccessDto } from './flavors.dto';

/** One action of `POST /flavors/{id}/action`; answers with the projects that have access after it. */
interface FlavorAction<Body extends object = never> extends ActionSpec {
  run(flavors: Flavors, ctx: RequestContext, flavorId: string, body: Body, flags: NovaFlags): Promise<string[]>;
}

const addTenantAccess: FlavorAction<AddTenantAccessDto> = {
  key: 'addTenantAccess',
  body: AddTenantAccessDto,
  policy: 'os_compute_api:os-flavor-access:add_tenant_access',
  run: (flavors, ctx, flavorId, { addTenantAccess: { tenant } }, flags) =>
    flavors.addAccess(ctx, flavorId, tenant, flags['flavors.access_of_public_refused']),
};

const removeTenantAccess: FlavorAction<RemoveTenantAccessDto> = {
  key: 'removeTenantAccess',
  body: RemoveTenantAccessDto,
  policy: 'os_compute_api:os-flavor-access:remove_tenant_access',
  run: (flavors, ctx, flavorId, { removeTenantAccess: { tenant } }) => flavors.removeAccess(ctx, flavorId, tenant),
};

export const FLAVOR_ACTIONS: readonly FlavorAction[] = [addTenantAccess, removeTenantAccess];
