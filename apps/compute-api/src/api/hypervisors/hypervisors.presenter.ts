import type { HypervisorStatistics } from '@fractus/compute-db';
import type { ShownHypervisor } from '../../app/hypervisors/hypervisors';

/** `row_id` is what versions before 2.53 show as the id. */
export function briefHypervisor({ hypervisor, up, servers }: ShownHypervisor): Record<string, unknown> {
  return {
    id: hypervisor.nodeId,
    row_id: hypervisor.rowId,
    hypervisor_hostname: hypervisor.node,
    state: up ? 'up' : 'down',
    status: hypervisor.service.disabled ? 'disabled' : 'enabled',
    ...(servers ? { servers: servers.map(({ id, name }) => ({ uuid: id, name })) } : {}),
  };
}

/** Everything that any version shows; `now` is epoch milliseconds. */
export function detailedHypervisor(shown: ShownHypervisor, now: number): Record<string, unknown> {
  const { hypervisor: h, up } = shown;
  return {
    ...briefHypervisor(shown),
    hypervisor_type: h.hypervisorType,
    hypervisor_version: h.hypervisorVersion,
    host_ip: h.hostIp,
    service: { id: h.service.id, host: h.host, disabled_reason: h.service.disabledReason },
    service_row_id: h.service.rowId,
    uptime: up ? uptimeText(h.uptimeSeconds + Math.max(0, (now - h.reportedAt) / 1000), now) : null,
    vcpus: h.vcpus,
    vcpus_used: h.vcpusUsed,
    memory_mb: h.memoryMb,
    memory_mb_used: h.memoryMbUsed,
    free_ram_mb: h.memoryMb - h.memoryMbUsed,
    local_gb: h.diskGb,
    local_gb_used: h.diskGbUsed,
    free_disk_gb: h.diskGb - h.diskGbUsed,
    disk_available_least: h.diskGb - h.diskGbUsed,
    current_workload: h.ioOps,
    running_vms: h.runningGuests,
    cpu_info: parsedCpuInfo(h.cpuInfo),
  };
}

export function statisticsView(s: HypervisorStatistics): object {
  return {
    count: s.count,
    vcpus: s.vcpus,
    vcpus_used: s.vcpusUsed,
    memory_mb: s.memoryMb,
    memory_mb_used: s.memoryMbUsed,
    free_ram_mb: s.memoryMb - s.memoryMbUsed,
    local_gb: s.diskGb,
    local_gb_used: s.diskGbUsed,
    free_disk_gb: s.diskGb - s.diskGbUsed,
    disk_available_least: s.diskGb - s.diskGbUsed,
    current_workload: s.ioOps,
    running_vms: s.runningGuests,
  };
}

/** The beginning of what uptime(1) prints; users and load are not reported, and so not told. */
export function uptimeText(seconds: number, now: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const clock = `${Math.floor((minutes % 1440) / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  const time = new Date(now).toISOString().slice(11, 19);
  return ` ${time} up ${days > 0 ? `${days} day${days > 1 ? 's' : ''}, ` : ''}${clock}`;
}

/** Drivers report JSON text; anything else is shown as nothing rather than breaking the list. */
function parsedCpuInfo(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text || '{}');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
