/**
 * Where a server would go. The request is made and checked as the operation itself makes it, then the scheduler thinks
 * it through; nothing is written.
 */
import { randomUUID } from 'node:crypto';
import type { Server, ServersRepository } from '@fractus/compute-db';
import { invalid, type RequestContext } from '@fractus/objects';
import type { Client, DryRunAnswer, FlavorSnapshot, RequestSpec, schedulerContract } from '@fractus/rpc-contracts';
import type { ScheduleReport } from '@fractus/scheduling';
import { type CreateServerDeps, planCreate, specOf } from '../servers/create-server';
import type { CreateServerRequest } from '../servers/create-request';
import { type AccessDeps, serverFor } from '../servers/server-access';

export type DryRunDeps = CreateServerDeps &
  AccessDeps & {
    readonly servers: ServersRepository;
    readonly scheduler: Client<typeof schedulerContract>;
  };

export interface DryRunResult extends Omit<DryRunAnswer, 'report'> {
  readonly operation: string;
  readonly report: ScheduleReport;
}

export type ServerQuestion =
  | { readonly operation: 'resize'; readonly serverId: string; readonly flavorRef: string }
  | { readonly operation: 'migrate'; readonly serverId: string; readonly host: string | null }
  | {
      readonly operation: 'unshelve';
      readonly serverId: string;
      readonly host: string | null;
      /** Undefined: that of the server; null: none any more. */
      readonly availabilityZone?: string | null;
    };

/** One of the servers that the request asks for. Errors as `createServer`, whatever its quota of servers says. */
export async function dryRunCreate(
  deps: DryRunDeps,
  ctx: RequestContext,
  request: CreateServerRequest,
): Promise<DryRunResult> {
  const { flavor, resolved } = await planCreate(deps, ctx, request);
  return ask(deps, ctx, 'create', { serverId: randomUUID(), spec: specOf(ctx, request, flavor, resolved) });
}

/** For a server that is there; whoever may perform the operation may ask. Errors: `not_found`, `forbidden`, `invalid`. */
export async function dryRunServer(
  deps: DryRunDeps,
  ctx: RequestContext,
  question: ServerQuestion,
): Promise<DryRunResult> {
  const server = await serverFor(deps, ctx, question.serverId, RULES[question.operation]);
  const spec = { ...(await deps.servers.requestSpec(server.id)), flavor: server.flavor };
  const serverId = server.id;
  switch (question.operation) {
    case 'resize': {
      const flavor = await newFlavor(deps, ctx, server, question.flavorRef);
      return ask(deps, ctx, 'resize', { serverId, spec: anywhere({ ...spec, flavor }), leaving: server.host });
    }
    case 'migrate':
      return ask(deps, ctx, 'migrate', {
        serverId,
        spec: await toHost(deps, ctx, { server, spec, host: question.host, rule: MIGRATE_TO_HOST }),
        leaving: server.host,
      });
    case 'unshelve': {
      const { availabilityZone: zone = spec.availabilityZone, host } = question;
      if (typeof question.availabilityZone === 'string' && !(await deps.zoneAvailable(question.availabilityZone)))
        throw invalid('The requested availability zone is not available', { code: 'zone.not_available' });
      const zoned = { ...spec, availabilityZone: zone };
      const given = await toHost(deps, ctx, { server, spec: zoned, host, rule: UNSHELVE_TO_HOST });
      return ask(deps, ctx, 'unshelve', { serverId, spec: given });
    }
  }
}

const RULES = {
  resize: 'os_compute_api:servers:resize',
  migrate: 'os_compute_api:os-migrate-server:migrate',
  unshelve: 'os_compute_api:os-shelve:unshelve',
} as const;
const MIGRATE_TO_HOST = 'os_compute_api:os-migrate-server:migrate:host';
const UNSHELVE_TO_HOST = 'os_compute_api:os-shelve:unshelve_to_host';

/** The host that a create named counts for the create alone. */
const anywhere = (spec: RequestSpec): RequestSpec => ({ ...spec, requestedHost: null, requestedNode: null });

async function newFlavor(
  deps: DryRunDeps,
  ctx: RequestContext,
  server: Server,
  flavorRef: string,
): Promise<FlavorSnapshot> {
  const flavor = await deps.findFlavor(ctx, flavorRef);
  if (!flavor) throw invalid(`Flavor ${flavorRef} could not be found.`, { code: 'flavor.not_found' });
  if (flavor.flavorId === server.flavor.flavorId)
    throw invalid('When resizing, instances must change flavor!', { code: 'resize.same_flavor' });
  return flavor;
}

interface ToHost {
  readonly server: Server;
  readonly spec: RequestSpec;
  readonly host: string | null;
  readonly rule: string;
}

async function toHost(deps: DryRunDeps, ctx: RequestContext, asked: ToHost): Promise<RequestSpec> {
  const { server, spec, host, rule } = asked;
  if (host === null) return anywhere(spec);
  deps.authorize(ctx, rule, { projectId: server.projectId, userId: server.userId });
  if (rule === MIGRATE_TO_HOST && host === server.host)
    throw invalid('Cannot migrate to the host where the server exists.', { code: 'migrate.same_host' });
  if (!(await deps.findHost(host, null)))
    throw invalid(`Compute host ${host} could not be found.`, { code: 'host.not_found' });
  return { ...anywhere(spec), requestedHost: host };
}

async function ask(
  deps: DryRunDeps,
  ctx: RequestContext,
  operation: string,
  { serverId, spec, leaving = null }: { serverId: string; spec: RequestSpec; leaving?: string | null },
): Promise<DryRunResult> {
  const excludeHosts = leaving === null ? [] : [leaving];
  const answer = await deps.scheduler.dryRun(ctx, { serverId, operation, spec, excludeHosts });
  return { ...answer, operation, report: JSON.parse(answer.report) as ScheduleReport };
}
