import { defineVersion, reshaped } from '@fractus/microversions';

export const v2_28 = defineVersion({
  version: '2.28',
  summary: 'cpu_info of a hypervisor is an object rather than text.',
  responses: [reshaped('hypervisor', ({ cpu_info, ...view }) => ({ ...view, cpu_info: JSON.stringify(cpu_info) }))],
});
