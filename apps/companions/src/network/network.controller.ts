import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import type { Database, Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import { ctxOf, originOf, parseQuery, queryOf, rawQuery } from '@fractus/http';
import { notFound } from '@fractus/objects';
import type { FastifyRequest } from 'fastify';
import type { Wire } from '../resource-table/resource-table';
import type { Kind } from './kind';
import { Kinds } from './kinds';
import { NetworkApi } from './network-api';
import { badNetwork, missing } from './network-errors';
import { TagList } from './network.dto';
import type { RouterRow } from './network.rows';
import { Tags } from './tags';

const noCollection = (path: string) =>
  notFound(`The resource ${path} could not be found.`, { code: 'network.HTTPNotFound' });

/** Collections that exist and are empty here: there are no agents, pools or scopes in a simulated network. */
const EMPTY: Readonly<Record<string, string>> = {
  agents: 'agents',
  subnetpools: 'subnetpools',
  'address-scopes': 'address_scopes',
  'rbac-policies': 'rbac_policies',
  trunks: 'trunks',
  segments: 'segments',
};

/** Every collection by one set of routes; what a kind is stands in its own file. */
@Controller('v2.0')
export class NetworkController {
  constructor(
    private readonly kinds: Kinds,
    private readonly api: NetworkApi,
    private readonly tags: Tags,
  ) {}

  @Get(':path')
  async list(@Req() request: FastifyRequest, @Param('path') path: string): Promise<Wire> {
    if (Object.hasOwn(EMPTY, path)) return { [EMPTY[path] as string]: [] };
    if (path === 'availability_zones') return { availability_zones: AVAILABILITY_ZONES };
    const kind = this.kind(path);
    const query = queryOf(request);
    const { items, limited, full } = await this.api.list(kind, ctxOf(request), query);
    const key = kind.table.collection;
    return { [key]: items, ...(limited && items.length ? { [`${key}_links`]: linksOf(request, items, full) } : {}) };
  }

  @Post(':path')
  @HttpCode(201)
  create(@Req() request: FastifyRequest, @Param('path') path: string, @Body() body: unknown): Promise<Wire> {
    return this.api.create(this.kind(path), ctxOf(request), body);
  }

  @Get(':path/:id')
  async show(@Req() request: FastifyRequest, @Param('path') path: string, @Param('id') id: string): Promise<Wire> {
    const kind = this.kind(path, id);
    return { [kind.table.resource]: await this.api.show(kind, ctxOf(request), id, queryOf(request)) };
  }

  @Put(':path/:id')
  async update(
    @Req() request: FastifyRequest,
    @Param('path') path: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Wire> {
    const kind = this.kind(path, id);
    return { [kind.table.resource]: await this.api.update(kind, ctxOf(request), id, body) };
  }

  @Delete(':path/:id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('path') path: string, @Param('id') id: string): Promise<void> {
    await this.api.delete(this.kind(path, id), ctxOf(request), id);
  }

  @Put('routers/:id/add_router_interface')
  async addInterface(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<Wire> {
    const router = await this.api.ownRow(this.kinds.routers, ctxOf(request), id, 'add_router_interface');
    return this.kinds.routers.addInterface(ctxOf(request), router as RouterRow, body);
  }

  @Put('routers/:id/remove_router_interface')
  async removeInterface(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<Wire> {
    const router = await this.api.ownRow(this.kinds.routers, ctxOf(request), id, 'remove_router_interface');
    return this.kinds.routers.removeInterface(ctxOf(request), router as RouterRow, body);
  }

  @Get(':path/:id/tags')
  async listTags(@Req() request: FastifyRequest, @Param('path') path: string, @Param('id') id: string): Promise<Wire> {
    await this.api.visibleRow(this.kind(path, id), ctxOf(request), id);
    return { tags: (await this.tags.of([id])).get(id) ?? [] };
  }

  @Put(':path/:id/tags')
  async replaceTags(
    @Req() request: FastifyRequest,
    @Param('path') path: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Wire> {
    const { tags } = compileDto(TagList).parse(body);
    await this.tagging(request, path, id, (tx) => this.tags.replace(tx, id, tags));
    return { tags };
  }

  @Delete(':path/:id/tags')
  @HttpCode(204)
  async clearTags(@Req() request: FastifyRequest, @Param('path') path: string, @Param('id') id: string): Promise<void> {
    await this.tagging(request, path, id, (tx) => this.tags.replace(tx, id, []));
  }

  @Get(':path/:id/tags/:tag')
  @HttpCode(204)
  async hasTag(
    @Req() request: FastifyRequest,
    @Param('path') path: string,
    @Param('id') id: string,
    @Param('tag') tag: string,
  ): Promise<void> {
    const { tags } = (await this.listTags(request, path, id)) as { tags: string[] };
    if (!tags.includes(tag)) throw missing('TagNotFound', 'Tag', tag);
  }

  @Put(':path/:id/tags/:tag')
  @HttpCode(201)
  async addTag(
    @Req() request: FastifyRequest,
    @Param('path') path: string,
    @Param('id') id: string,
    @Param('tag') tag: string,
  ): Promise<void> {
    if (tag.length > 255) throw badNetwork('A tag has at most 255 characters.');
    await this.tagging(request, path, id, (tx) => this.tags.add(tx, id, tag));
  }

  @Delete(':path/:id/tags/:tag')
  @HttpCode(204)
  async removeTag(
    @Req() request: FastifyRequest,
    @Param('path') path: string,
    @Param('id') id: string,
    @Param('tag') tag: string,
  ): Promise<void> {
    await this.tagging(request, path, id, (tx) => this.tags.remove(tx, id, tag));
  }

  private async tagging(
    request: FastifyRequest,
    path: string,
    id: string,
    change: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const kind = this.kind(path, id);
    await this.database().transaction(async (tx) => {
      await this.api.ownRow(kind, ctxOf(request), id, 'update');
      await change(tx);
    });
  }

  private database(): Database {
    return this.kinds.db;
  }

  /** @throws not_found for a collection that is unknown, and for a member of one that is always empty */
  private kind(path: string, id?: string): Kind {
    const kind = this.kinds.byPath(path);
    if (!kind) throw noCollection(id === undefined ? path : `${path}/${id}`);
    return kind;
  }
}

const AVAILABILITY_ZONES = [
  { name: 'nova', resource: 'network', state: 'available' },
  { name: 'nova', resource: 'router', state: 'available' },
];

/** `next` while the page is full, `previous` once a marker was given. */
function linksOf(request: FastifyRequest, items: readonly Wire[], full: boolean): { rel: string; href: string }[] {
  const [path = ''] = request.originalUrl.split('?', 1);
  const link = (rel: string, marker: unknown, reverse: boolean): { rel: string; href: string } => {
    const query = parseQuery(rawQuery(request.originalUrl));
    delete query['marker'];
    delete query['page_reverse'];
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      (values ?? []).map((v): [string, string] => [name, v]),
    );
    pairs.push(['marker', String(marker)], ...(reverse ? [['page_reverse', 'True'] as [string, string]] : []));
    return { rel, href: `${originOf(request)}${path}?${new URLSearchParams(pairs).toString()}` };
  };
  const given = queryOf(request);
  return [
    ...(full ? [link('next', items.at(-1)?.['id'], false)] : []),
    ...(given['marker'] ? [link('previous', items[0]?.['id'], true)] : []),
  ];
}
