import { isoTimeMicros } from '@fractus/http';
import type { ServiceInZone } from '../../app/services/services';

/** `row_id` is what versions before 2.53 show as the id. */
export function serviceView({ service, zone, up }: ServiceInZone): Record<string, unknown> {
  return {
    id: service.id,
    row_id: service.rowId,
    binary: service.binary,
    host: service.host,
    zone,
    status: service.disabled ? 'disabled' : 'enabled',
    state: up ? 'up' : 'down',
    updated_at: isoTimeMicros(service.lastSeenAt ?? service.updatedAt ?? service.createdAt),
    disabled_reason: service.disabledReason,
    forced_down: service.forcedDown,
  };
}
