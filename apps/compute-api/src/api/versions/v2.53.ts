import { defineVersion, removed, reshaped, type View } from '@fractus/microversions';

/** Before, records went by their row numbers. */
const numbered = ({ row_id, ...view }: View): View => ({ ...view, ...(row_id === undefined ? {} : { id: row_id }) });

export const v2_53 = defineVersion({
  version: '2.53',
  summary: 'Services and hypervisors go by uuid; hypervisors are found by hostname and list their servers.',
  responses: [
    reshaped('service', numbered),
    removed('service', 'row_id'),
    reshaped('hypervisor-brief', numbered),
    removed('hypervisor-brief', 'row_id'),
    reshaped('hypervisor', ({ service_row_id, service, ...view }) =>
      numbered({ ...view, service: { ...(service as View), id: service_row_id } }),
    ),
    removed('hypervisor', 'row_id', 'service_row_id'),
  ],
  turnsOn: ['services.uuid', 'hypervisors.uuid'],
});
