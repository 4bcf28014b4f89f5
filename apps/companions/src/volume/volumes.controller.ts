import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { compileDto } from '@fractus/dto-schema';
import { ctxOf, originOf, queryOf, queryValue, rawQuery } from '@fractus/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import { isAdmin } from './volume-access';
import { runAction } from './volume-actions';
import { badVolume, missing } from './volume-errors';
import { minorOf } from './volume-versions';
import { Metadata, NewVolume, VolumeChange } from './volume.dto';
import { presentSummary, presentVolume, type Viewer } from './volume.presenter';
import { textsOf, type FullVolume } from './volume.rows';
import { Volumes, ZONE } from './volumes';

export function viewerOf(request: FastifyRequest): Viewer {
  const ctx = ctxOf(request);
  return { origin: originOf(request), projectId: ctx.projectId, admin: isAdmin(ctx), minor: minorOf(request) };
}

@Controller('v3')
export class VolumesController {
  constructor(private readonly volumes: Volumes) {}

  @Get('volumes')
  list(@Req() request: FastifyRequest): Promise<unknown> {
    return this.page(request, presentSummary);
  }

  @Get('volumes/detail')
  detail(@Req() request: FastifyRequest): Promise<unknown> {
    return this.page(request, presentVolume);
  }

  /** How many, and how large together (3.12). */
  @Get('volumes/summary')
  async summary(@Req() request: FastifyRequest): Promise<unknown> {
    const used = await this.volumes.used(ctxOf(request).projectId ?? '');
    return { 'volume-summary': { total_count: used.volumes, total_size: used.gigabytes } };
  }

  @Post('volumes')
  @HttpCode(202)
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    const volume = await this.volumes.create(ctxOf(request), bodyOf(body, 'volume', NewVolume));
    return { volume: presentVolume(viewerOf(request), volume) };
  }

  @Get('volumes/:id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    return { volume: presentVolume(viewerOf(request), await this.volumes.show(ctxOf(request), id)) };
  }

  @Put('volumes/:id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    const given = bodyOf(body, 'volume', VolumeChange);
    const name = given.name === undefined ? given.display_name : given.name;
    const text = given.description === undefined ? given.display_description : given.description;
    await this.volumes.change(ctxOf(request), id, () => ({
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { description: text }),
      ...(given.metadata ? { metadata: JSON.stringify(given.metadata) } : {}),
    }));
    return this.show(request, id);
  }

  @Delete('volumes/:id')
  @HttpCode(202)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    const force = /^(true|1|yes)$/i.test(queryValue(queryOf(request), 'force') ?? '');
    if (force && !isAdmin(ctxOf(request))) throw badVolume('Only an administrator deletes a volume by force.');
    await this.volumes.delete(ctxOf(request), id, force);
  }

  @Post('volumes/:id/action')
  async action(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const call = { volumes: this.volumes, ctx: ctxOf(request), id, minor: minorOf(request) };
    const answer = await runAction(call, body);
    void reply.status(answer.status);
    return answer.body;
  }

  @Get('volumes/:id/metadata')
  async metadata(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    return { metadata: textsOf((await this.volumes.show(ctxOf(request), id)).metadata) };
  }

  @Post('volumes/:id/metadata')
  @HttpCode(200)
  addMetadata(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    return this.setMetadata(request, id, body, true);
  }

  @Put('volumes/:id/metadata')
  replaceMetadata(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    return this.setMetadata(request, id, body, false);
  }

  @Delete('volumes/:id/metadata/:key')
  @HttpCode(200)
  async removeMetadata(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('key') key: string,
  ): Promise<void> {
    await this.volumes.change(ctxOf(request), id, (_tx, row) => {
      const { [key]: gone, ...left } = textsOf(row.metadata);
      if (gone === undefined) throw missing('Metadata item', key);
      return { metadata: JSON.stringify(left) };
    });
  }

  @Get('limits')
  async limits(@Req() request: FastifyRequest): Promise<unknown> {
    const used = await this.volumes.used(ctxOf(request).projectId ?? '');
    const unlimited = ['Volumes', 'Snapshots', 'Backups', 'VolumeGigabytes', 'BackupGigabytes'];
    return {
      limits: {
        rate: [],
        absolute: {
          ...Object.fromEntries(unlimited.map((what) => [`maxTotal${what}`, -1])),
          totalVolumesUsed: used.volumes,
          totalGigabytesUsed: used.gigabytes,
          totalSnapshotsUsed: 0,
          totalBackupsUsed: 0,
          totalBackupGigabytesUsed: 0,
        },
      },
    };
  }

  @Get('os-availability-zone')
  zones(): unknown {
    return { availabilityZoneInfo: [{ zoneName: ZONE, zoneState: { available: true } }] };
  }

  /** No snapshots are made here: the list is empty, and creation is 404. */
  @Get(['snapshots', 'snapshots/detail'])
  snapshots(): unknown {
    return { snapshots: [] };
  }

  @Get('extensions')
  extensions(): unknown {
    return { extensions: [] };
  }

  private async setMetadata(request: FastifyRequest, id: string, body: unknown, add: boolean): Promise<unknown> {
    const { metadata } = compileDto(Metadata).parse(body);
    await this.volumes.change(ctxOf(request), id, (_tx, row) => ({
      metadata: JSON.stringify({ ...(add ? textsOf(row.metadata) : {}), ...metadata }),
    }));
    return this.metadata(request, id);
  }

  private async page(
    request: FastifyRequest,
    present: (viewer: Viewer, volume: FullVolume) => unknown,
  ): Promise<unknown> {
    const query = queryOf(request);
    const viewer = viewerOf(request);
    const { volumes, more, count } = await this.volumes.list(ctxOf(request), query);
    const rest = new URLSearchParams(rawQuery(request.originalUrl));
    rest.set('marker', volumes.at(-1)?.id ?? '');
    const href = `${originOf(request)}${request.originalUrl.split('?', 1)[0]}?${rest.toString()}`;
    return {
      volumes: volumes.map((v) => present(viewer, v)),
      ...(more && volumes.length ? { volumes_links: [{ rel: 'next', href }] } : {}),
      ...(viewer.minor >= 45 && queryValue(query, 'with_count') === 'true' ? { count } : {}),
    };
  }
}
