import { leastNumber } from '../aggregate-metadata';
import { defineFilter } from './filter';

const CODES = { 'host.servers': 'with as many servers as a host may hold' } as const;
const say = (host: string, most: number, running: number): string =>
  `${host} holds ${running} servers; a host may hold ${most}.`;

/** At most `maxInstancesPerHost` servers on a host. */
export const numInstancesFilter = defineFilter({
  name: 'NumInstancesFilter',
  codes: CODES,
  check({ host, runningGuests }, _request, { maxInstancesPerHost: most }, reject) {
    if (runningGuests < most) return null;
    return reject('host.servers', runningGuests, most, say(host, most, runningGuests));
  },
});

/** The same; an aggregate's `max_instances_per_host` goes before the option, the least where several say one. */
export const aggregateNumInstancesFilter = defineFilter({
  name: 'AggregateNumInstancesFilter',
  codes: CODES,
  check(view, _request, { maxInstancesPerHost }, reject) {
    const most = leastNumber(view, 'max_instances_per_host', maxInstancesPerHost);
    if (view.runningGuests < most) return null;
    return reject('host.servers', view.runningGuests, most, say(view.host, most, view.runningGuests));
  },
});
