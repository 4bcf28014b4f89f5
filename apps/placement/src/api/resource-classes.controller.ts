import { Controller } from '@nestjs/common';
import type { ApiRequest } from '@fractus/microversions';
import { compileDto } from '@fractus/dto-schema';
import type { RequestContext } from '@fractus/objects';
import { ResourceClassesService } from '../services/resource-classes.service';
import { ResourceClassBody } from './dto/providers.dto';
import { parseBody, requireJson } from './edge';
import { Reply, modified } from './reply';
import { Api, type PlacementFlags } from './versions';

const present = (name: string): Record<string, unknown> => ({
  name,
  links: [{ rel: 'self', href: `/resource_classes/${name}` }],
});

@Controller()
export class ResourceClassesController {
  constructor(private readonly classes: ResourceClassesService) {}

  @Api('GET /resource_classes', { policy: 'placement:resource_classes:list', since: '1.2' })
  async list(ctx: RequestContext): Promise<Reply> {
    const found = await this.classes.list(ctx);
    return modified(
      { resource_classes: found.map((c) => present(c.name)) },
      found.map((c) => c.updatedAt),
    );
  }

  @Api('POST /resource_classes', {
    policy: 'placement:resource_classes:create',
    since: '1.2',
    body: ResourceClassBody,
    success: 201,
  })
  async create(ctx: RequestContext, { body }: ApiRequest<ResourceClassBody>): Promise<Reply> {
    await this.classes.create(ctx, body.name);
    return new Reply(undefined, { location: `/resource_classes/${body.name}` });
  }

  @Api('GET /resource_classes/{name}', { policy: 'placement:resource_classes:show', since: '1.2' })
  async show(ctx: RequestContext, { params }: ApiRequest): Promise<Reply> {
    const found = await this.classes.get(ctx, params['name'] ?? '');
    return modified(present(found.name), [found.updatedAt]);
  }

  /** Renames (with a body) before 1.7, and makes (without one) since. */
  @Api('PUT /resource_classes/{name}', { policy: 'placement:resource_classes:update', since: '1.2' })
  async put(ctx: RequestContext, { params, body, raw }: ApiRequest, flags: PlacementFlags): Promise<Reply> {
    const name = params['name'] ?? '';
    const parse = (value: unknown): ResourceClassBody =>
      parseBody({ body: compileDto(ResourceClassBody) }, value) as ResourceClassBody;
    if (flags.classPutCreates) {
      parse({ name });
      return new Reply(undefined, {
        status: (await this.classes.ensure(ctx, name)) ? 201 : 204,
        location: `/resource_classes/${name}`,
      });
    }
    requireJson(raw);
    const { name: to } = parse(body);
    await this.classes.rename(ctx, name, to);
    return new Reply(present(to));
  }

  @Api('DELETE /resource_classes/{name}', { policy: 'placement:resource_classes:delete', since: '1.2', success: 204 })
  async remove(ctx: RequestContext, { params }: ApiRequest): Promise<void> {
    await this.classes.remove(ctx, params['name'] ?? '');
  }
}
