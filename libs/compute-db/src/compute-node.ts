import type { HostState } from '@fractus/rpc-contracts';
import type { ComputeNodeRow } from './rows';

/** A compute node as its agent last reported it; memory in MiB, disk in GiB. */
export interface ReportedNode extends Omit<HostState, 'uptimeSeconds'> {
  readonly rowId: number;
  /** Order of reports: (incarnation, seq) never goes back. */
  readonly incarnation: number;
  readonly seq: number;
}

/** The same with the times of its row, epoch milliseconds. */
export interface ComputeNode extends ReportedNode, Pick<HostState, 'uptimeSeconds'> {
  readonly reportedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** The columns of a report. */
export type ReportedNodeRow = Omit<ComputeNodeRow, 'uptime_seconds' | 'reported_at' | 'created_at' | 'updated_at'>;

export const reportedNodeOf = (row: ReportedNodeRow): ReportedNode => ({
  rowId: row.id,
  host: row.host,
  node: row.node,
  nodeId: row.uuid,
  hypervisorType: row.hypervisor_type,
  hypervisorVersion: row.hypervisor_version,
  hostIp: row.host_ip,
  vcpus: row.vcpus,
  memoryMb: row.memory_mb,
  diskGb: row.disk_gb,
  vcpusUsed: row.vcpus_used,
  memoryMbUsed: row.memory_mb_used,
  diskGbUsed: row.disk_gb_used,
  runningGuests: row.running_guests,
  ioOps: row.io_ops,
  failedBuilds: row.failed_builds,
  cpuInfo: row.cpu_info,
  architecture: row.architecture,
  capabilities: JSON.parse(row.capabilities) as Record<string, boolean>,
  traits: JSON.parse(row.traits) as string[],
  incarnation: row.incarnation,
  seq: row.seq,
});

export const computeNodeOf = (row: ComputeNodeRow): ComputeNode => ({
  ...reportedNodeOf(row),
  uptimeSeconds: row.uptime_seconds,
  reportedAt: row.reported_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
