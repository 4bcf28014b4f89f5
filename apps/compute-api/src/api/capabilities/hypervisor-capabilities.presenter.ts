import { CAPABILITIES, type Missing, type Room } from '@fractus/hypervisors-capabilities';
import { isoTime } from '@fractus/http';
import type {
  HypervisorCapabilities,
  HypervisorTold,
  ProviderTold,
} from '../../app/capabilities/hypervisor-capabilities';
import { MISSING_HOURS } from '../../app/capabilities/hypervisor-capabilities';

/** The form that both answers share. `id` as the microversion has it: the uuid, or a number before 2.53. */
export function hypervisorToldView({ hypervisor: h, up, traits }: HypervisorTold, id: string | number): object {
  return {
    hypervisor_id: id,
    hypervisor_hostname: h.node,
    host: h.host,
    reported_at: isoTime(h.reportedAt),
    driver: { type: h.hypervisorType, version: h.hypervisorVersion },
    service: {
      id: h.service.id,
      status: h.service.disabled ? 'disabled' : 'enabled',
      state: up ? 'up' : 'down',
      forced_down: h.service.forcedDown,
      disabled_reason: h.service.disabledReason,
    },
    driver_capabilities: flagsView(h.capabilities),
    traits,
  };
}

/** `now` is epoch milliseconds. */
export function hypervisorCapabilitiesView(
  found: HypervisorCapabilities,
  id: string | number,
  microversion: string,
  now: number,
): object {
  const told = hypervisorToldView(found, id) as { service: object };
  const { attempts, truncated, items } = found.missing;
  return {
    ...told,
    evaluated_at: isoTime(now),
    microversion,
    service: { ...told.service, version: found.serviceVersion },
    inventory: found.inventory && roomsView(found.inventory),
    nested_providers: found.nested && found.nested.map(providerView),
    missing_lately: { hours: MISSING_HOURS, attempts, truncated, items: items.map(missingView) },
    unknown: found.unknown,
  };
}

/** Every flag there is, and those beyond that a driver told of; null where its agent did not say. */
function flagsView(reported: Readonly<Record<string, boolean>>): Record<string, boolean | null> {
  const names = [...new Set([...CAPABILITIES, ...Object.keys(reported)])].sort();
  return Object.fromEntries(names.map((name) => [name, reported[name] ?? null]));
}

const roomsView = (rooms: Readonly<Record<string, Room>>): object =>
  Object.fromEntries(
    Object.entries(rooms).map(([rc, { minUnit, maxUnit, stepSize, ...room }]) => [
      rc,
      { ...room, min_unit: minUnit, max_unit: maxUnit, step_size: stepSize },
    ]),
  );

const providerView = ({ id, name, parentId, traits, inventory }: ProviderTold): object => ({
  id,
  name,
  parent_id: parentId,
  traits,
  inventory: roomsView(inventory),
});

const missingView = ({ resourceClass, lastAt, ...missing }: Missing): object => ({
  ...missing,
  ...(resourceClass === undefined ? {} : { resource_class: resourceClass }),
  last_at: isoTime(lastAt),
});
