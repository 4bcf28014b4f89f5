import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../resource-table/bodies';
import type { Query as ListQuery } from '../resource-table/resource-table';
import { Assignments } from './assignments';
import { requireAdmin, requireReader } from './callers';
import { Directory } from './directory';
import { NewProject, ProjectChange } from './identity.dto';
import { listOf } from './identity.presenter';

@Controller('v3/projects')
export class ProjectsController {
  constructor(
    private readonly directory: Directory,
    private readonly assignments: Assignments,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() query: ListQuery): Promise<unknown> {
    requireReader(request, 'identity:list_projects');
    const all =
      query['is_domain'] && /^(true|1)$/i.test(String(query['is_domain']))
        ? []
        : await this.directory.projects.list(query);
    return listOf(
      'projects',
      all.map((p) => this.present(p, request)),
      `${originOf(request)}/v3/projects`,
    );
  }

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: unknown): Promise<unknown> {
    const caller = requireAdmin(request, 'identity:create_project');
    const project = await this.directory.createProject(
      bodyOf(body, 'project', NewProject),
      caller.project?.domain_id ?? caller.user.domain_id,
    );
    return { project: this.present(project, request) };
  }

  /** One's own: the token's project, and any other on which one has a role. */
  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<unknown> {
    const project = await this.directory.projects.find(id);
    const caller = requireReader(request, 'identity:get_project', (c) => c.projectId === id || project !== undefined);
    const found = project ?? (await this.directory.projects.get(id));
    if (caller.projectId !== id && (await this.assignments.onProject(caller.user.id, found)).length === 0) {
      requireReader(request, 'identity:get_project');
    }
    return { project: this.present(found, request) };
  }

  @Patch(':id')
  async update(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    requireAdmin(request, 'identity:update_project');
    return {
      project: this.present(
        await this.directory.updateProject(id, { ...bodyOf(body, 'project', ProjectChange) }),
        request,
      ),
    };
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<void> {
    requireAdmin(request, 'identity:delete_project');
    await this.directory.deleteProject(id);
  }

  private present(
    project: Parameters<Directory['projects']['present']>[0],
    request: FastifyRequest,
  ): Record<string, unknown> {
    return { ...this.directory.projects.present(project, originOf(request)), is_domain: false, options: {} };
  }
}
