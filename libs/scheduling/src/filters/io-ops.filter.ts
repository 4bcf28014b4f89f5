import { leastNumber } from '../aggregate-metadata';
import { defineFilter } from './filter';

const CODES = { 'host.io_ops': 'busy with as many disk-heavy operations as a host may have' } as const;
const say = (host: string, most: number, busy: number): string =>
  `${host} has ${busy} disk-heavy operations under way; a host may have ${most}.`;

/** Fewer than `maxIoOpsPerHost` builds, snapshots and moves under way. */
export const ioOpsFilter = defineFilter({
  name: 'IoOpsFilter',
  codes: CODES,
  check({ host, ioOps }, _request, { maxIoOpsPerHost: most }, reject) {
    return ioOps < most ? null : reject('host.io_ops', ioOps, most, say(host, most, ioOps));
  },
});

/** The same; an aggregate's `max_io_ops_per_host` goes before the option, the least where several say one. */
export const aggregateIoOpsFilter = defineFilter({
  name: 'AggregateIoOpsFilter',
  codes: CODES,
  check(view, _request, { maxIoOpsPerHost }, reject) {
    const most = leastNumber(view, 'max_io_ops_per_host', maxIoOpsPerHost);
    return view.ioOps < most ? null : reject('host.io_ops', view.ioOps, most, say(view.host, most, view.ioOps));
  },
});
