import { added, defineVersion, removed } from '@fractus/microversions';

export const v2_88 = defineVersion({
  version: '2.88',
  summary:
    'A hypervisor shows its uptime and no longer what placement knows better; statistics and uptime have no path of their own.',
  responses: [
    added('hypervisor', 'uptime'),
    removed(
      'hypervisor',
      'vcpus',
      'vcpus_used',
      'memory_mb',
      'memory_mb_used',
      'free_ram_mb',
      'local_gb',
      'local_gb_used',
      'free_disk_gb',
      'disk_available_least',
      'current_workload',
      'running_vms',
      'cpu_info',
    ),
  ],
});
