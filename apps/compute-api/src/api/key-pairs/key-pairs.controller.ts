import { Controller } from '@nestjs/common';
import { isFullPage, nextHref, parsePage } from '@fractus/http';
import { lastOf, type PolicyCheck } from '@fractus/microversions';
import type { ComputeRuleName } from '@fractus/policy';
import type { RequestContext } from '@fractus/objects';
import { KeyPairs } from '../../app/key-pairs/key-pairs';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { CreateKeyPairDto, KeyPairQuery, ListKeyPairsQuery } from './key-pairs.dto';
import { briefKeyPair, createdKeyPair, detailedKeyPair } from './key-pairs.presenter';

/** Whose key pairs a query is about; the first user that it names counts (upstream). */
const userOf = (ctx: RequestContext, query: KeyPairQuery): string => query.user_id?.[0] || (ctx.userId ?? '');

const ofAskedUser = (rule: ComputeRuleName): PolicyCheck => ({
  rule,
  target: (ctx, { query }) => ({ user_id: userOf(ctx, query) }),
});

const ofNewUser = (rule: ComputeRuleName): PolicyCheck => ({
  rule,
  target: (ctx, { body }) => ({ user_id: (body as CreateKeyPairDto).keypair.user_id || ctx.userId }),
});

type Ask = ApiRequest<unknown, KeyPairQuery>;

@Controller()
export class KeyPairsController {
  constructor(
    private readonly keyPairs: KeyPairs,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /os-keypairs', {
    query: ListKeyPairsQuery,
    views: { 'keypairs[].keypair': 'keypair' },
    policy: ofAskedUser('os_compute_api:os-keypairs:index'),
  })
  async list(
    ctx: RequestContext,
    { query, raw }: ApiRequest<unknown, ListKeyPairsQuery>,
    flags: NovaFlags,
  ): Promise<object> {
    const userId = userOf(ctx, query);
    if (!flags['key_pairs.pages']) return { keypairs: items(await this.keyPairs.list(userId)) };
    const page = parsePage({ limit: query.limit ?? [] }, this.parts.config);
    const marker = lastOf(query.marker);
    const found =
      page.limit === 0 ? [] : await this.keyPairs.list(userId, { limit: page.limit, ...(marker ? { marker } : {}) });
    const last = found.at(-1);
    if (!last || !isFullPage(found.length, page)) return { keypairs: items(found) };
    return { keypairs: items(found), keypairs_links: [{ rel: 'next', href: nextHref(raw, last.name) }] };
  }

  @Api('POST /os-keypairs', {
    body: CreateKeyPairDto,
    success: { '-2.1': 200, '2.2-': 201 },
    views: { keypair: 'keypair' },
    policy: ofNewUser('os_compute_api:os-keypairs:create'),
  })
  async create(ctx: RequestContext, { body: { keypair } }: ApiRequest<CreateKeyPairDto>): Promise<object> {
    const wish = {
      userId: keypair.user_id || (ctx.userId ?? ''),
      name: keypair.name.trim(),
      type: keypair.type ?? 'ssh',
    };
    const max = (await this.parts.quotaLimits.of(ctx.projectId ?? '', wish.userId)).key_pairs;
    if (keypair.public_key !== undefined) {
      return {
        keypair: createdKeyPair(await this.keyPairs.import({ ...wish, publicKey: keypair.public_key }, max), undefined),
      };
    }
    const { keyPair, privateKey } = await this.keyPairs.generate(wish, max);
    return { keypair: createdKeyPair(keyPair, privateKey) };
  }

  @Api('GET /os-keypairs/{id}', {
    query: KeyPairQuery,
    views: { keypair: 'keypair' },
    policy: ofAskedUser('os_compute_api:os-keypairs:show'),
  })
  async show(ctx: RequestContext, { params, query }: Ask): Promise<object> {
    return { keypair: detailedKeyPair(await this.keyPairs.get(userOf(ctx, query), params['id'] ?? '')) };
  }

  @Api('DELETE /os-keypairs/{id}', {
    query: KeyPairQuery,
    success: { '-2.1': 202, '2.2-': 204 },
    policy: ofAskedUser('os_compute_api:os-keypairs:delete'),
  })
  delete(ctx: RequestContext, { params, query }: Ask): Promise<void> {
    return this.keyPairs.delete(userOf(ctx, query), params['id'] ?? '');
  }
}

const items = (keyPairs: readonly Parameters<typeof briefKeyPair>[0][]): object[] =>
  keyPairs.map((k) => ({ keypair: briefKeyPair(k) }));
