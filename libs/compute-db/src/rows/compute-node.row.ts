import { Id, Instant, Int, Json, Str, Uuid } from '@fractus/database';
import { Entity, Index } from 'typeorm';

/** A hypervisor as its agent last reported it. Memory in MiB, disk in GiB. `uuid` is also its root resource provider. */
@Entity('compute_nodes')
@Index('uq_compute_nodes_uuid', ['uuid'], { unique: true })
@Index('uq_compute_nodes_host_node', ['host', 'node'], { unique: true })
export class ComputeNodeRow {
  @Id() id: number;
  @Uuid() uuid: string;
  @Str() host: string;
  /** hypervisor_hostname. */
  @Str() node: string;
  @Str(64) hypervisor_type: string;
  @Int() hypervisor_version: number;
  @Str(64) host_ip: string;
  @Int() vcpus: number;
  @Int() memory_mb: number;
  @Int() disk_gb: number;
  @Int() vcpus_used: number;
  @Int() memory_mb_used: number;
  @Int() disk_gb_used: number;
  @Int() running_guests: number;
  @Int() io_ops: number;
  @Int() failed_builds: number;
  @Json() cpu_info: string;
  @Str(64) architecture: string;
  @Json() capabilities: string;
  @Json() traits: string;
  @Int() uptime_seconds: number;
  /** Order of reports: (incarnation, seq) never goes back. */
  @Instant() incarnation: number;
  @Int() seq: number;
  @Instant() reported_at: number;
  @Instant() created_at: number;
  @Instant({ nullable: true }) updated_at: number | null;
}
