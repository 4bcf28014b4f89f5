import type { Aggregate } from '@fractus/compute-db';
import type { ActionSpec } from '@fractus/microversions';
import type { RequestContext } from '@fractus/objects';
import type { Aggregates } from '../../app/aggregates/aggregates';
import { AddHostBody, RemoveHostBody, SetMetadataBody } from './aggregates.dto';

/** One action of POST /os-aggregates/{id}/action. */
export interface AggregateAction<Body extends object = object> extends ActionSpec<Body> {
  run(aggregates: Aggregates, ctx: RequestContext, id: number, body: Body): Promise<Aggregate>;
}

const define = <Body extends object>(action: AggregateAction<Body>): AggregateAction =>
  ({ views: { aggregate: 'aggregate' }, ...action }) as unknown as AggregateAction;

export const AGGREGATE_ACTIONS: readonly AggregateAction[] = [
  define<AddHostBody>({
    key: 'add_host',
    body: AddHostBody,
    policy: 'os_compute_api:os-aggregates:add_host',
    run: (aggregates, ctx, id, { add_host }) => aggregates.addHost(ctx, id, add_host.host),
  }),
  define<RemoveHostBody>({
    key: 'remove_host',
    body: RemoveHostBody,
    policy: 'os_compute_api:os-aggregates:remove_host',
    run: (aggregates, ctx, id, { remove_host }) => aggregates.removeHost(ctx, id, remove_host.host),
  }),
  define<SetMetadataBody>({
    key: 'set_metadata',
    body: SetMetadataBody,
    policy: 'os_compute_api:os-aggregates:set_metadata',
    run: (aggregates, ctx, id, { set_metadata }) => aggregates.update(ctx, id, { metadata: set_metadata.metadata }),
  }),
];
