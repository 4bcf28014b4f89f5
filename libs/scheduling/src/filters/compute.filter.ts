import { defineFilter } from './filter';

/** The compute service must be enabled and alive. */
export const computeFilter = defineFilter({
  name: 'ComputeFilter',
  codes: { 'host.disabled': 'disabled', 'host.forced_down': 'forced down', 'host.down': 'down' },
  check({ host, service }, _request, _options, reject) {
    if (service.disabled) {
      const why = service.disabledReason ? `: ${service.disabledReason}` : '';
      return reject('host.disabled', 'disabled', 'enabled', `The compute service of ${host} is disabled${why}.`);
    }
    if (service.forcedDown) {
      return reject('host.forced_down', 'forced down', 'up', `The compute service of ${host} was forced down.`);
    }
    if (service.up) return null;
    const silence = service.silentSeconds === null ? 'never heard from' : `silent for ${service.silentSeconds} s`;
    return reject('host.down', silence, 'up', `The compute service of ${host} is down: ${silence}.`);
  },
});
