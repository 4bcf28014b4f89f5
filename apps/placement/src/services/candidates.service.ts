import { Injectable } from '@nestjs/common';
import { type RequestContext, invalid } from '@fractus/objects';
import type { CandidateQuery } from '../domain/candidate-query';
import { type Explanation, explain } from '../domain/explain';
import { type SearchResult, findCandidates } from '../domain/search';
import { type Stage, Trace } from '../domain/trace';
import { PlacementCore } from './placement-core';

export interface SearchPolicy {
  /** Where a limited query begins, 0 ≤ x < 1; a random place by default, a fixed one in tests. */
  offset(): number;
}

@Injectable()
export class CandidatesService {
  private policy: SearchPolicy = { offset: Math.random };

  constructor(private readonly core: PlacementCore) {}

  /** Sets where limited queries begin, for answers that repeat. */
  usePolicy(policy: SearchPolicy): void {
    this.policy = policy;
  }

  /** 400 for names of classes and traits that do not exist. Nothing found is an empty answer. */
  async find(_ctx: RequestContext, query: CandidateQuery): Promise<SearchResult> {
    await this.core.replica.sync();
    this.checkNames(query);
    return findCandidates(this.core.replica.estate, query, { offset: this.policy.offset() });
  }

  /** As `find`; where it finds nothing, with what every check let through, counted by the same search. */
  async findTraced(ctx: RequestContext, query: CandidateQuery): Promise<{ result: SearchResult; stages: Stage[] }> {
    const found = await this.find(ctx, query);
    if (found.candidates.length > 0) return { result: found, stages: [] };
    const trace = new Trace({ rootsTold: 0 });
    const result = findCandidates(this.core.replica.estate, query, { trace });
    return { result, stages: trace.stages };
  }

  /** Why the query has the candidates it has, or what would give it some. The 400s are those of `find`. */
  async explain(_ctx: RequestContext, query: CandidateQuery): Promise<Explanation> {
    await this.core.replica.sync();
    this.checkNames(query);
    return explain(this.core.replica.estate, query);
  }

  private checkNames(query: CandidateQuery): void {
    const { classes, traits } = this.core.replica.names;
    for (const group of query.groups) {
      for (const rc of group.resources.keys()) {
        if (!classes.has(rc))
          throw invalid(`Invalid resource class in resources parameter: No such resource class ${rc}.`, {
            code: 'resource_class.unknown',
          });
      }
    }
    const named = [
      ...query.rootRequired,
      ...query.rootForbidden,
      ...query.groups.flatMap((g) => [...g.required.flat(), ...g.forbidden]),
    ];
    const unknown = [...new Set(named)].filter((t) => !traits.has(t)).sort();
    if (unknown.length) throw invalid(`No such trait(s): ${unknown.join(', ')}.`, { code: 'trait.unknown' });
  }
}
