import { compareVersions, compileDto, inSpan } from '@fractus/dto-schema';
import type { RequestContext } from '@fractus/objects';
import type { CompiledDto, DtoClass, Version, VersionSpan } from '@fractus/dto-schema';
import type { View } from '../changes';
import type { Flags, VersionTable } from '../version-table';
import { knownParameters } from './query';
import type { KnownParameters, RawQuery } from './query';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `GET /flavors/{flavor_id}`: the path as the API's documentation writes it, without the prefix of the endpoint. */
export type Route = `${Method} /${string}`;

/** One code for all versions, or codes by span: `{ '-2.1': 200, '2.2-': 201 }`. */
export type Success = number | Readonly<Record<VersionSpan, number>>;

/** A rule and what it is checked against, where that is not the asker's own project and user. */
export interface PolicyCheck {
  readonly rule: string;
  /** Read from the request alone; what must be fetched first is checked by the handler (`policies`). */
  readonly target: (
    ctx: RequestContext,
    request: { readonly params: Record<string, string>; readonly query: RawQuery; readonly body: never },
  ) => Record<string, unknown>;
}

/** What one operation is, apart from its code. */
export interface OperationSpec<Body extends object = object, Query extends object = object> {
  /** The operation exists from this version on. Outside its versions it answers 404. */
  readonly since?: Version;
  readonly until?: Version;
  readonly body?: DtoClass<Body>;
  /** Members are arrays of texts. Parameters that an open class does not name are dropped, as Nova does. */
  readonly query?: DtoClass<Query>;
  /** Default 200. */
  readonly success?: Success;
  /**
   * Where in the answer views stand: `{ keypair: 'keypair' }`, `{ 'flavors[]': 'flavor' }`, `{ 'keypairs[].keypair': … }`.
   * Their fields follow the version.
   */
  readonly views?: Readonly<Record<string, string>>;
  /**
   * The policy rule that is checked before the handler runs: against the asker's own project and user, or a target.
   * Null: whoever has a token may.
   */
  readonly policy?: string | PolicyCheck | null;
  /** Rules that the handler checks itself, because their target must be read first or they only widen the answer. */
  readonly policies?: readonly string[];
}

/** Members at a path of an answer are passed through `step`. */
function atPath(path: string, step: (view: View) => View): (body: View) => void {
  const dot = path.indexOf('.');
  const head = dot < 0 ? path : path.slice(0, dot);
  const rest = dot < 0 ? undefined : atPath(path.slice(dot + 1), step);
  const many = head.endsWith('[]');
  const key = many ? head.slice(0, -2) : head;
  const one = (member: unknown): unknown => {
    if (typeof member !== 'object' || member === null) return member;
    if (!rest) return step(member as View);
    rest(member as View);
    return member;
  };
  return (body) => {
    if (!(key in body)) return;
    const member = body[key];
    body[key] = many && Array.isArray(member) ? member.map(one) : one(member);
  };
}

/** Everything about an operation that depends on the version only. */
export interface Plan {
  readonly body?: CompiledDto<object>;
  readonly query?: CompiledDto<object>;
  readonly parameters?: KnownParameters;
  readonly liftBody?: (body: object) => object;
  readonly liftQuery?: (query: object) => object;
  readonly flags: Flags;
  readonly status: number;
  readonly shape?: (body: View) => void;
}

export interface PlanRequest {
  readonly version: Version;
  /** The legacy endpoint: schemas of 2.0, unknown members dropped, everything else as in the lowest version. */
  readonly legacy: boolean;
}

function statusOf(success: Success, version: Version): number {
  if (typeof success === 'number') return success;
  for (const [span, code] of Object.entries(success)) if (inSpan(span, version)) return code;
  throw new Error(`no success code for ${version}`);
}

/** An operation with its plans, one per version that was asked for. */
export class Operation {
  private readonly plans = new Map<string, Plan | null>();

  constructor(
    /** As in the documentation; an action adds its key: `POST /servers/{server_id}/action reboot`. */
    readonly name: string,
    readonly spec: OperationSpec,
  ) {}

  exists(version: Version): boolean {
    const { since, until } = this.spec;
    return (
      (since === undefined || compareVersions(version, since) >= 0) &&
      (until === undefined || compareVersions(version, until) <= 0)
    );
  }

  /** Null where the operation does not exist in the version. */
  plan(table: VersionTable, { version, legacy }: PlanRequest): Plan | null {
    const key = `${version} ${legacy}`;
    const known = this.plans.get(key);
    if (known !== undefined) return known;
    const made = this.exists(version) ? this.makePlan(table, version, legacy) : null;
    this.plans.set(key, made);
    return made;
  }

  private makePlan(table: VersionTable, version: Version, legacy: boolean): Plan {
    const { body, query, success = 200, views = {} } = this.spec;
    const schemaVersion = legacy ? '2.0' : version;
    const shapes = Object.entries(views).flatMap(([path, view]) => {
      const step = table.view(view, version);
      return step ? [atPath(path, step)] : [];
    });
    const liftBody = body && table.lift(body, version);
    const liftQuery = query && table.lift(query, version);
    const compiledQuery = query && compileDto(query, { version: schemaVersion, source: 'query' });
    return {
      flags: table.flags(version),
      status: statusOf(success, version),
      ...(body ? { body: compileDto(body, { version: schemaVersion, unknown: legacy ? 'drop' : 'refuse' }) } : {}),
      ...(compiledQuery ? { query: compiledQuery, parameters: knownParameters(compiledQuery.schema) } : {}),
      ...(liftBody ? { liftBody } : {}),
      ...(liftQuery ? { liftQuery } : {}),
      ...(shapes.length > 0 ? { shape: (answer: View) => shapes.forEach((s) => s(answer)) } : {}),
    };
  }
}
