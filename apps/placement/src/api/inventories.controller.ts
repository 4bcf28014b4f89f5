import { Controller } from '@nestjs/common';
import type { ApiRequest } from '@fractus/microversions';
import { type RequestContext, notFound } from '@fractus/objects';
import { InventoriesService, type InventoryRules } from '../services/inventories.service';
import { PostInventory, PutInventories, PutInventory } from './dto/inventories.dto';
import { inventoriesByClass } from './inventory-forms';
import { presentInventories, presentInventory, toInventory } from './presenters';
import { Reply, modified } from './reply';
import { Api, type PlacementFlags } from './versions';

const PATH = '/resource_providers/{uuid}/inventories';
const rulesOf = (flags: PlacementFlags): InventoryRules => ({ reservedMayEqualTotal: flags.reservedMayEqualTotal });

@Controller()
export class InventoriesController {
  constructor(private readonly inventories: InventoriesService) {}

  @Api(`GET ${PATH}`, { policy: 'placement:resource_providers:inventories:list' })
  async list(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const provider = await this.inventories.of(ctx, params['uuid'] ?? '');
    return modified(presentInventories(provider.generation, provider.inventories), [provider.updatedAt]);
  }

  @Api(`POST ${PATH}`, { policy: 'placement:resource_providers:inventories:create', body: PostInventory, success: 201 })
  async create(
    ctx: RequestContext,
    { params, body }: ApiRequest<PostInventory>,
    flags: PlacementFlags,
  ): Promise<Reply> {
    const uuid = params['uuid'] ?? '';
    const inventory = toInventory(body);
    const generation = await this.inventories.add(ctx, uuid, body.resource_class, inventory, rulesOf(flags));
    const location = `/resource_providers/${uuid}/inventories/${body.resource_class}`;
    return new Reply(
      { ...presentInventory(inventory), resource_provider_generation: generation },
      { location, modified: null },
    );
  }

  @Api(`PUT ${PATH}`, { policy: 'placement:resource_providers:inventories:update', body: PutInventories })
  async replace(
    ctx: RequestContext,
    { params, body }: ApiRequest<PutInventories>,
    flags: PlacementFlags,
  ): Promise<Reply> {
    const uuid = params['uuid'] ?? '';
    const inventories = inventoriesByClass(
      body.inventories,
      `Unknown resource class in inventory for resource provider ${uuid}: `,
    );
    const generation = await this.inventories.replace(
      ctx,
      uuid,
      body.resource_provider_generation,
      inventories,
      rulesOf(flags),
    );
    return modified(presentInventories(generation, inventories));
  }

  @Api(`DELETE ${PATH}`, { policy: 'placement:resource_providers:inventories:delete', since: '1.5', success: 204 })
  async removeAll(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.inventories.removeAll(ctx, params['uuid'] ?? '');
  }

  @Api(`GET ${PATH}/{resource_class}`, { policy: 'placement:resource_providers:inventories:show' })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const provider = await this.inventories.of(ctx, params['uuid'] ?? '');
    const inventory = provider.inventories.get(params['resource_class'] ?? '');
    if (!inventory)
      throw notFound(`No inventory of class ${params['resource_class']} for ${provider.uuid}`, {
        code: 'inventory.unknown',
      });
    return modified({ ...presentInventory(inventory), resource_provider_generation: provider.generation }, [
      provider.updatedAt,
    ]);
  }

  @Api(`PUT ${PATH}/{resource_class}`, {
    policy: 'placement:resource_providers:inventories:update',
    body: PutInventory,
  })
  async update(ctx: RequestContext, { params, body }: ApiRequest<PutInventory>, flags: PlacementFlags): Promise<Reply> {
    const inventory = toInventory(body);
    const generation = await this.inventories.update(
      ctx,
      params['uuid'] ?? '',
      params['resource_class'] ?? '',
      body.resource_provider_generation,
      inventory,
      rulesOf(flags),
    );
    return modified({ ...presentInventory(inventory), resource_provider_generation: generation });
  }

  @Api(`DELETE ${PATH}/{resource_class}`, { policy: 'placement:resource_providers:inventories:delete', success: 204 })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.inventories.remove(ctx, params['uuid'] ?? '', params['resource_class'] ?? '');
  }
}
