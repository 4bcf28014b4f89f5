/** Granting, withdrawing and listing roles: `/v3/<target>/<id>/<users|groups>/<id>/roles/<id>` and the flat listing. */
import { Controller, Delete, Get, HttpCode, Param, Put, Query, Req } from '@nestjs/common';
import type { Database } from '@fractus/database';
import { originOf } from '@fractus/http';
import type { FastifyRequest } from 'fastify';
import { Assignments, SYSTEM, type Assignment } from './assignments';
import { callerOf, isAdmin, requireAdmin, requireReader } from './callers';
import { Directory } from './directory';
import { badInput, unknownRecord } from './identity-errors';
import { listOf } from './identity.presenter';
import { RoleRecords } from './role-records';

const TARGETS = ['projects/:target', 'domains/:target', 'system'];
const ACTORS = ['users/:actor', 'groups/:actor'];
const LISTS = TARGETS.flatMap((t) => ACTORS.map((a) => `${t}/${a}/roles`));
const INHERITED = TARGETS.slice(0, 2).flatMap((t) =>
  ACTORS.map((a) => `OS-INHERIT/${t}/${a}/roles/:role/inherited_to_projects`),
);
const ONE = [...LISTS.map((path) => `${path}/:role`), ...INHERITED];

@Controller('v3')
export class RoleAssignmentsController {
  constructor(
    private readonly assignments: Assignments,
    private readonly directory: Directory,
    private readonly roles: RoleRecords,
  ) {}

  @Put(ONE)
  @HttpCode(204)
  async grant(@Req() request: FastifyRequest, @Param() params: Record<string, string>): Promise<void> {
    requireAdmin(request, 'identity:create_grant');
    const assignment = await this.existing(assignmentOf(request, params));
    await this.database().transaction((tx) => this.assignments.grant(tx, assignment));
  }

  /** HEAD comes with it. */
  @Get(ONE)
  @HttpCode(204)
  async check(@Req() request: FastifyRequest, @Param() params: Record<string, string>): Promise<void> {
    requireReader(request, 'identity:check_grant');
    const assignment = await this.existing(assignmentOf(request, params));
    if ((await this.assignments.list(assignment)).length === 0)
      throw unknownRecord('role_assignment', assignment.roleId);
  }

  @Delete(ONE)
  @HttpCode(204)
  async withdraw(@Req() request: FastifyRequest, @Param() params: Record<string, string>): Promise<void> {
    requireAdmin(request, 'identity:revoke_grant');
    const assignment = await this.existing(assignmentOf(request, params));
    await this.database().transaction((tx) => this.assignments.withdraw(tx, assignment));
  }

  @Get(LISTS)
  async granted(@Req() request: FastifyRequest, @Param() params: Record<string, string>): Promise<unknown> {
    requireReader(request, 'identity:list_grants');
    const { roleId: _all, ...rest } = assignmentOf(request, { ...params, role: '' });
    const held = new Set((await this.assignments.list(rest)).map((a) => a.roleId));
    const shown = (await this.roles.list())
      .filter((r) => held.has(r.id))
      .map((r) => this.roles.records.present(r, originOf(request)));
    return listOf('roles', shown, originOf(request) + pathOf(request));
  }

  /** Own assignments for everyone, all for administrators and readers of the system. */
  @Get('role_assignments')
  async list(
    @Req() request: FastifyRequest,
    @Query() query: Record<string, string | string[] | undefined>,
  ): Promise<unknown> {
    const one = (name: string): string | undefined => [query[name]].flat()[0];
    const caller = callerOf(request);
    const userId = one('user.id');
    requireReader(request, 'identity:list_role_assignments', (c) => userId === c.user.id);
    const filter = filterOf(one);
    const found = one('effective') === undefined ? await this.assignments.list(filter) : await this.effective(filter);
    const names = one('include_names') !== undefined && !/^(0|false)$/i.test(one('include_names') ?? '');
    const visible = isAdmin(caller) || userId === caller.user.id || caller.systemScope === 'all' ? found : [];
    const shown = await Promise.all(visible.map((a) => this.present(a, names, originOf(request))));
    return listOf('role_assignments', shown, `${originOf(request)}/v3/role_assignments`);
  }

  /** Groups resolved into their members, implied roles spelled out. */
  private async effective(filter: Partial<Assignment>): Promise<Assignment[]> {
    const { roleId, actor, actorId, ...rest } = filter;
    const direct = await this.assignments.list(rest);
    const found = new Map<string, Assignment>();
    for (const a of direct) {
      const users = a.actor === 'user' ? [a.actorId] : (await this.directory.membersOf(a.actorId)).map((u) => u.id);
      for (const role of await this.assignments.expand([a.roleId])) {
        for (const id of users)
          found.set([id, a.target, a.targetId, role.id].join(), { ...a, actor: 'user', actorId: id, roleId: role.id });
      }
    }
    const fits = (a: Assignment): boolean =>
      (roleId === undefined || a.roleId === roleId) &&
      (actorId === undefined || actor !== 'user' || a.actorId === actorId);
    return [...found.values()].filter(fits);
  }

  private async present(a: Assignment, names: boolean, origin: string): Promise<unknown> {
    const target =
      a.target === 'system' ? { system: { all: true } } : { [a.target]: await this.named(a.target, a.targetId, names) };
    return {
      role: await this.named('role', a.roleId, names),
      [a.actor]: await this.named(a.actor, a.actorId, names),
      scope: { ...target, ...(a.inherited ? { 'OS-INHERIT:inherited_to': 'projects' } : {}) },
      links: { assignment: origin + linkOf(a) },
    };
  }

  private async named(
    kind: 'user' | 'group' | 'project' | 'domain' | 'role',
    id: string,
    names: boolean,
  ): Promise<unknown> {
    if (!names) return { id };
    const records = {
      user: this.directory.users,
      group: this.directory.groups,
      project: this.directory.projects,
      domain: this.directory.domains,
      role: this.roles.records,
    };
    const row = (await records[kind].find(id)) as { name: string; domain_id?: string | null } | undefined;
    if (!row) return { id };
    const domain = row.domain_id ? await this.directory.domains.find(row.domain_id) : undefined;
    return { id, name: row.name, ...(domain ? { domain: { id: domain.id, name: domain.name } } : {}) };
  }

  /** @throws not_found for the first of its parts that does not exist */
  private async existing(a: Assignment): Promise<Assignment> {
    await this.roles.records.get(a.roleId);
    await (a.actor === 'user' ? this.directory.users.get(a.actorId) : this.directory.groups.get(a.actorId));
    if (a.target === 'project') await this.directory.projects.get(a.targetId);
    if (a.target === 'domain') await this.directory.domains.get(a.targetId);
    return a;
  }

  private database(): Database {
    return this.directory.users.db;
  }
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function assignmentOf(request: FastifyRequest, params: Record<string, string>): Assignment {
  const path = pathOf(request).replace(/^\/v3\/(OS-INHERIT\/)?/, '');
  const target = path.startsWith('projects/') ? 'project' : path.startsWith('domains/') ? 'domain' : 'system';
  const rest = target === 'system' ? path.slice('system/'.length) : path.split('/').slice(2).join('/');
  return {
    actor: rest.startsWith('groups/') ? 'group' : 'user',
    actorId: params['actor'] ?? '',
    target,
    targetId: target === 'system' ? SYSTEM : (params['target'] ?? ''),
    roleId: params['role'] ?? '',
    inherited: request.url.startsWith('/v3/OS-INHERIT/'),
  };
}

function filterOf(one: (name: string) => string | undefined): Partial<Assignment> {
  const given = {
    user: one('user.id'),
    group: one('group.id'),
    project: one('scope.project.id'),
    domain: one('scope.domain.id'),
  };
  if (given.user !== undefined && given.group !== undefined) throw badInput('user.id and group.id exclude each other.');
  if (given.project !== undefined && given.domain !== undefined)
    throw badInput('scope.project.id and scope.domain.id exclude each other.');
  const filter: { -readonly [K in keyof Assignment]?: Assignment[K] } = {};
  if (given.user !== undefined) Object.assign(filter, { actor: 'user', actorId: given.user });
  if (given.group !== undefined) Object.assign(filter, { actor: 'group', actorId: given.group });
  if (given.project !== undefined) Object.assign(filter, { target: 'project', targetId: given.project });
  if (given.domain !== undefined) Object.assign(filter, { target: 'domain', targetId: given.domain });
  if (one('scope.system') !== undefined) Object.assign(filter, { target: 'system' });
  if (one('role.id') !== undefined) Object.assign(filter, { roleId: one('role.id') });
  if (one('scope.OS-INHERIT:inherited_to') !== undefined) Object.assign(filter, { inherited: true });
  return filter;
}

function linkOf(a: Assignment): string {
  const target = a.target === 'system' ? 'system' : `${a.target}s/${a.targetId}`;
  const path = `${target}/${a.actor}s/${a.actorId}/roles/${a.roleId}`;
  return a.inherited ? `/v3/OS-INHERIT/${path}/inherited_to_projects` : `/v3/${path}`;
}
