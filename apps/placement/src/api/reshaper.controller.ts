import { Controller } from '@nestjs/common';
import type { ApiRequest } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { ReshaperService } from '../services/reshaper.service';
import { toWrites } from './allocations.controller';
import { PostReshaper } from './dto/inventories.dto';
import { inventoriesByClass } from './inventory-forms';
import { Api, type PlacementFlags } from './versions';

@Controller()
export class ReshaperController {
  constructor(private readonly reshaper: ReshaperService) {}

  @Api('POST /reshaper', { policy: 'placement:reshaper:reshape', since: '1.30', body: PostReshaper, success: 204 })
  async reshape(ctx: RequestContext, { body }: ApiRequest<PostReshaper>, flags: PlacementFlags): Promise<void> {
    const inventories = Object.entries(body.inventories).map(
      ([uuid, given]) =>
        [
          uuid,
          {
            generation: given.resource_provider_generation,
            inventories: inventoriesByClass(given.inventories, 'malformed reshaper data: '),
          },
        ] as const,
    );
    await this.reshaper.reshape(ctx, new Map(inventories), toWrites(body.allocations, flags));
  }
}
