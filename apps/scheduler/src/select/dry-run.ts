/**
 * A request thought through: where it would go, or why nowhere and which single thing less would do.
 *
 * It goes the way of an attempt, except that all candidates are looked at, nothing is claimed and nothing recorded.
 * What would help is proposed by the request's terms (libs/scheduling) and by Placement's explanation; each proposal is
 * run, and told only when it found a host. Runs are bounded in number and time.
 */
import type { RequestContext } from '@fractus/objects';
import type { CandidateExplanation, DryRun, DryRunAnswer, ScheduleRelaxation } from '@fractus/rpc-contracts';
import {
  finish,
  type HostView,
  MAX_HOST_REASONS,
  outcomeOfNone,
  type Prepared,
  proposalsOf,
  relaxedQuery,
  type RankedHost,
  type ScheduleRequest,
} from '@fractus/scheduling';
import { explainPlacement } from './placement-reasons';
import { Search, type SearchDeps, type SearchOptions } from './search';

const MAX_TOLD = 8;
/** Runs of proposals, and milliseconds after which no further one is begun. */
const MAX_RUNS = 32;
const MAX_MS = 10_000;

const DISABLED = 'COMPUTE_STATUS_DISABLED';
/** What the request's own proposals, or an enabled host, say better. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set(['in_tree', `root_forbidden ${DISABLED}`]);
const OPERATORS: ReadonlySet<string> = new Set(['member_of', 'not_member_of', 'root_required', 'root_forbidden']);

interface Proposed {
  readonly told: Omit<ScheduleRelaxation, 'hosts'>;
  readonly request: ScheduleRequest;
  /** Left out: all hosts are asked, as the request itself asks. */
  readonly options?: SearchOptions;
}

export class DryRunner {
  constructor(private readonly deps: SearchDeps) {}

  /** Rejects as Placement or the database does. */
  async run(ctx: RequestContext, asked: DryRun): Promise<DryRunAnswer> {
    const startedAt = Date.now();
    const search = new Search(this.deps, ctx, asked.serverId);
    const wanted = await search.requestOf(asked);
    const { prepared, ranked } = await search.runWhole(wanted, MAX_HOST_REASONS);
    const { builder } = prepared;
    const [first] = ranked;
    if (first) {
      const report = JSON.stringify(finish(builder, 'selected', undefined, first.host.host));
      return { outcome: 'selected', fitting: ranked.length, report, wouldFitIf: [], truncated: false };
    }
    const explained = prepared.ok ? await explainPlacement(this.deps, ctx, prepared.query, builder) : undefined;
    const outcome = outcomeOfNone(wanted, builder.soFar);
    const report = JSON.stringify(finish(builder, outcome));
    const tries = new Tries(search, startedAt);
    for (const proposed of proposals(wanted, prepared, explained)) await tries.add(proposed);
    await tries.addDisabled(wanted);
    const { found, truncated } = tries;
    return { outcome, fitting: 0, report, wouldFitIf: found.slice(0, MAX_TOLD), truncated };
  }
}

/** What of the request, and of the question that it becomes, could be left out. */
function* proposals(
  wanted: ScheduleRequest,
  prepared: Prepared,
  explained: CandidateExplanation | undefined,
): Generator<Proposed> {
  for (const { request, relax, detail, sentence, operatorsOnly = false } of proposalsOf(wanted))
    yield { told: { relax, detail, sentence, operatorsOnly }, request };
  if (!prepared.ok) return;
  for (const term of explained?.wouldFitIf ?? []) {
    const { relax, detail, sentence } = term;
    if (SAID_OTHERWISE.has(relax) || SAID_OTHERWISE.has(`${relax} ${detail}`)) continue;
    const change = relaxedQuery(prepared.query, term);
    if (!change) continue;
    const told = { relax, detail, sentence, operatorsOnly: OPERATORS.has(relax) };
    yield { told, request: wanted, options: { limited: false, change: () => change } };
  }
}

class Tries {
  readonly found: ScheduleRelaxation[] = [];
  truncated = false;
  private runs = 0;

  constructor(
    private readonly search: Search,
    private readonly startedAt: number,
  ) {}

  async add({ told, request, options }: Proposed): Promise<void> {
    const hosts = (await this.hosts(request, options)).length;
    if (hosts > 0) this.tell({ ...told, hosts });
  }

  /** One run in which no host counts as disabled; each host that is found so would do alone. */
  async addDisabled(wanted: ScheduleRequest): Promise<void> {
    const disabled = new Set<string>();
    const see = (host: HostView): HostView => {
      if (host.service.disabled) disabled.add(host.host);
      return { ...host, service: { ...host.service, disabled: false, disabledReason: null } };
    };
    const change: SearchOptions['change'] = (query) => ({
      ...query,
      rootForbidden: query.rootForbidden.filter((trait) => trait !== DISABLED),
    });
    for (const { host } of await this.hosts(wanted, { limited: false, change, see })) {
      if (!disabled.has(host.host)) continue;
      const sentence = `enable the host ${host.host}`;
      this.tell({ relax: 'enable_host', detail: host.host, sentence, hosts: 1, operatorsOnly: true });
    }
  }

  private tell(relaxation: ScheduleRelaxation): void {
    if (this.found.length < MAX_TOLD) this.found.push(relaxation);
    else this.truncated = true;
  }

  private async hosts(request: ScheduleRequest, options?: SearchOptions): Promise<readonly RankedHost[]> {
    const spent = this.runs >= MAX_RUNS || Date.now() - this.startedAt > MAX_MS || this.found.length >= MAX_TOLD;
    if (spent) {
      this.truncated = true;
      return [];
    }
    this.runs++;
    const { ranked } = await (options ? this.search.run(request, options) : this.search.runWhole(request));
    return ranked;
  }
}
