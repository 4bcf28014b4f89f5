import { Controller } from '@nestjs/common';
import type { ApiRequest, RawQuery } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import { CandidatesService } from '../services/candidates.service';
import { parseCandidateQuery } from './candidate-parameters';
import { presentExplanation } from './explanation.presenter';
import { presentCandidates } from './presenters';
import { type Reply, modified } from './reply';
import { Api, type PlacementFlags } from './versions';

@Controller()
export class CandidatesController {
  constructor(private readonly candidates: CandidatesService) {}

  @Api<object, RawQuery>('GET /allocation_candidates', {
    policy: 'placement:allocation_candidates:list',
    since: '1.10',
    views: { 'allocation_requests[]': 'candidate' },
  })
  async list(ctx: RequestContext, { query }: ApiRequest<unknown, RawQuery>, flags: PlacementFlags): Promise<Reply> {
    const wanted = parseCandidateQuery(query, flags);
    const found = await this.candidates.find(ctx, wanted);
    return modified(presentCandidates(found, new Set(wanted.groups.flatMap((g) => [...g.resources.keys()])), flags));
  }

  /** Takes what the list takes, in every version; see docs/placement/explain.md. */
  @Api<object, RawQuery>('GET /allocation_candidates/explain', {
    policy: 'placement:allocation_candidates:explain',
    since: '1.10',
  })
  async explain(ctx: RequestContext, { query }: ApiRequest<unknown, RawQuery>, flags: PlacementFlags): Promise<Reply> {
    return modified(presentExplanation(await this.candidates.explain(ctx, parseCandidateQuery(query, flags))));
  }
}
