import { type Database, isDuplicateKey, type SqlRow, type Tx } from '@fractus/database';
import { conflict } from '@fractus/objects';
import type { HostState, RegisteredHost } from '@fractus/rpc-contracts';
import type { ComputeNodeRow, ServiceRow } from './rows';
import { type ComputeNode, computeNodeOf } from './compute-node';
import { assignments, forUpdate, within } from './sql';

/** The name under which clients know the service of a host. */
export const COMPUTE_BINARY = 'nova-compute';

export interface Service {
  readonly id: string;
  readonly rowId: number;
  readonly host: string;
  readonly binary: string;
  readonly topic: string;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  readonly lastSeenAt: number | null;
  readonly reportCount: number;
  readonly version: number;
  readonly agentId: string | null;
  readonly incarnation: number | null;
  /** The broker's user whose agents serve the host; null where none is known. */
  readonly rpcUser: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

export interface Agent {
  readonly agentId: string;
  /** Epoch ms of the process' start; grows with every start. */
  readonly incarnation: number;
  readonly serviceVersion: number;
  /** The broker's user that it sends as; absent where the transport knows no users. */
  readonly rpcUser?: string;
}

/** Up: not forced down, and heard of within `downAfterMs`. Disabled services may be up. */
export function serviceIsUp(
  service: Pick<Service, 'forcedDown' | 'lastSeenAt'>,
  now: number,
  downAfterMs: number,
): boolean {
  return !service.forcedDown && service.lastSeenAt !== null && now - service.lastSeenAt <= downAfterMs;
}

const PAGE = 500;

/** Services and compute nodes. Agents' reports are written here by conductor; operators' words by the API. */
export class HostsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Writes services and compute nodes of hosts that an agent begins to serve. New services are enabled, and belong to
   * the agent's user from then on. `conflict` when one of them belongs to another user (until its service is deleted),
   * when a later incarnation of an agent serves it, when a node's uuid belongs to another host, or when a host's node
   * has another uuid than before.
   */
  async register(
    agent: Agent,
    hosts: readonly HostState[],
    makeId: () => string,
    now: number,
  ): Promise<RegisteredHost[]> {
    return this.onceMoreIfTaken(async (tx) => {
      const names = hosts.map((h) => h.host);
      const services = await this.servicesIn(tx, names, forUpdate(tx));
      refuseOtherUsers(agent, services);
      await this.refuseStale(tx, agent, hosts, services);
      const fresh: SqlRow[] = [];
      for (const host of names) {
        const known = services.get(host);
        if (known) await this.seenAgain(tx, agent, known.rowId, now);
        else fresh.push(newService(agent, host, makeId(), now));
      }
      if (fresh.length > 0) await tx.insert('services', fresh);
      await this.writeNodes(tx, agent.incarnation, 0, hosts, now);
      const written = await this.servicesIn(tx, names);
      return hosts.flatMap((h) => {
        const service = written.get(h.host);
        if (!service) return [];
        return [
          {
            host: h.host,
            serviceId: service.id,
            nodeId: h.nodeId,
            disabled: service.disabled,
            disabledReason: service.disabledReason,
          },
        ];
      });
    });
  }

  /** Heartbeats and changed states. Reports of an earlier incarnation, or out of order, change nothing. */
  async report(
    agent: { agentId: string; incarnation: number; seq: number },
    alive: readonly string[],
    changed: readonly HostState[],
    now: number,
  ): Promise<void> {
    for (let i = 0; i < alive.length; i += PAGE) {
      const [sql, params] = within('host', alive.slice(i, i + PAGE));
      await this.db.execute(
        `UPDATE services SET last_seen_at = ?, report_count = report_count + 1 WHERE binary_name = ? AND incarnation = ? AND ${sql}`,
        [now, COMPUTE_BINARY, agent.incarnation, ...params],
      );
    }
    for (let i = 0; i < changed.length; i += PAGE) {
      await this.db.transaction((tx) =>
        this.writeNodes(tx, agent.incarnation, agent.seq, changed.slice(i, i + PAGE), now),
      );
    }
  }

  /**
   * A sign of life of one process of a service whose name is to be of no other: false when a later one goes by it, and
   * then nothing is written. Makes its record if it is new.
   */
  async lives(binary: string, host: string, incarnation: number, makeId: () => string, now: number): Promise<boolean> {
    return this.onceMoreIfTaken(async (tx) => {
      const sql = `UPDATE services SET last_seen_at = ?, report_count = report_count + 1, incarnation = ?
        WHERE binary_name = ? AND host = ? AND (incarnation IS NULL OR incarnation <= ?)`;
      if ((await tx.execute(sql, [now, incarnation, binary, host, incarnation])).affected > 0) return true;
      const there = 'SELECT 1 FROM services WHERE binary_name = ? AND host = ?';
      if ((await tx.query(there, [binary, host])).length > 0) return false;
      await tx.insert('services', {
        ...newService({ agentId: host, incarnation, serviceVersion: 0 }, host, makeId(), now),
        binary_name: binary,
        topic: binary.replace(/^nova-/, ''),
      });
      return true;
    });
  }

  /** A sign of life of a service that is no agent (`nova-conductor`, `nova-scheduler`); makes its record if it is new. */
  async heartbeat(binary: string, host: string, makeId: () => string, now: number): Promise<void> {
    await this.onceMoreIfTaken(async (tx) => {
      const sql =
        'UPDATE services SET last_seen_at = ?, report_count = report_count + 1 WHERE binary_name = ? AND host = ?';
      if ((await tx.execute(sql, [now, binary, host])).affected > 0) return;
      const agent = { agentId: host, incarnation: now, serviceVersion: 0 };
      await tx.insert('services', {
        ...newService(agent, host, makeId(), now),
        binary_name: binary,
        topic: binary.replace(/^nova-/, ''),
      });
    });
  }

  async services(filter: { host?: string; binary?: string } = {}): Promise<Service[]> {
    const where = ['1 = 1'];
    const params: string[] = [];
    if (filter.host !== undefined) {
      where.push('host = ?');
      params.push(filter.host);
    }
    if (filter.binary !== undefined) {
      where.push('binary_name = ?');
      params.push(filter.binary);
    }
    return (
      await this.db.query<ServiceRow>(`SELECT * FROM services WHERE ${where.join(' AND ')} ORDER BY id`, params)
    ).map(serviceOf);
  }

  /** The compute service of a host, or null. */
  async computeService(host: string): Promise<Service | null> {
    return (await this.services({ host, binary: COMPUTE_BINARY }))[0] ?? null;
  }

  /** The compute services of many hosts by host name. */
  async computeServices(hosts: readonly string[]): Promise<Map<string, Service>> {
    return this.servicesIn(this.db, hosts);
  }

  /** Writes an operator's word; false when there is no such service. */
  async updateService(
    id: string,
    patch: { disabled?: boolean; disabledReason?: string | null; forcedDown?: boolean },
    now: number,
  ): Promise<boolean> {
    const columns: SqlRow = { updated_at: now };
    if (patch.disabled !== undefined) columns['disabled'] = patch.disabled ? 1 : 0;
    if (patch.disabledReason !== undefined) columns['disabled_reason'] = patch.disabledReason;
    if (patch.forcedDown !== undefined) columns['forced_down'] = patch.forcedDown ? 1 : 0;
    const [set, values] = assignments(columns);
    return (
      (await this.db.transaction((tx) => tx.execute(`UPDATE services SET ${set} WHERE uuid = ?`, [...values, id])))
        .affected === 1
    );
  }

  /** Compute nodes by row id, a page at a time; `after` is the row id of the last one seen. */
  async nodes(page: { after?: number; limit: number }): Promise<ComputeNode[]> {
    return (
      await this.db.query<ComputeNodeRow>('SELECT * FROM compute_nodes WHERE id > ? ORDER BY id LIMIT ?', [
        page.after ?? 0,
        page.limit,
      ])
    ).map(computeNodeOf);
  }

  async nodeOf(host: string): Promise<ComputeNode | null> {
    const [row] = await this.db.query<ComputeNodeRow>(
      'SELECT * FROM compute_nodes WHERE host = ? ORDER BY id LIMIT 1',
      [host],
    );
    return row ? computeNodeOf(row) : null;
  }

  /** Rows that were looked for and not found may be there when they are written: then they are found. */
  private async onceMoreIfTaken<R>(block: (tx: Tx) => Promise<R>): Promise<R> {
    return this.db.transaction(block).catch((e: unknown) => {
      if (!isDuplicateKey(e)) throw e;
      return this.db.transaction(block);
    });
  }

  private async servicesIn(tx: Pick<Tx, 'query'>, hosts: readonly string[], lock = ''): Promise<Map<string, Service>> {
    const [sql, params] = within('host', hosts);
    const rows = await tx.query<ServiceRow>(`SELECT * FROM services WHERE binary_name = ? AND ${sql}${lock}`, [
      COMPUTE_BINARY,
      ...params,
    ]);
    return new Map(rows.map((row) => [row.host, serviceOf(row)]));
  }

  private async refuseStale(
    tx: Tx,
    agent: Agent,
    hosts: readonly HostState[],
    services: Map<string, Service>,
  ): Promise<void> {
    const newer = hosts.find((h) => (services.get(h.host)?.incarnation ?? 0) > agent.incarnation);
    if (newer) throw conflict(`host ${newer.host} is served by a later agent`, { code: 'host.later_agent' });
    const [byId, ids] = within('uuid', hosts.map((h) => h.nodeId)); // prettier-ignore
    const [byHost, names] = within('host', hosts.map((h) => h.host)); // prettier-ignore
    const nodes = await tx.query<NodeName>(`SELECT uuid, host, node FROM compute_nodes WHERE ${byId} OR ${byHost}`, [
      ...ids,
      ...names,
    ]);
    refuseOtherNodes(hosts, nodes, services);
  }

  private async seenAgain(tx: Tx, agent: Agent, rowId: number, now: number): Promise<void> {
    const sql = `UPDATE services SET last_seen_at = ?, agent_id = ?, incarnation = ?, version = ?,
      rpc_user = COALESCE(rpc_user, ?), report_count = report_count + 1 WHERE id = ?`;
    const { agentId, incarnation, serviceVersion, rpcUser } = agent;
    await tx.execute(sql, [now, agentId, incarnation, serviceVersion, rpcUser, rowId]);
  }

  private async writeNodes(
    tx: Tx,
    incarnation: number,
    seq: number,
    hosts: readonly HostState[],
    now: number,
  ): Promise<void> {
    const [sql, params] = within('uuid', hosts.map((h) => h.nodeId)); // prettier-ignore
    const known = new Set(
      (await tx.query<{ uuid: string }>(`SELECT uuid FROM compute_nodes WHERE ${sql}`, params)).map((r) => r.uuid),
    );
    const fresh = hosts.filter((h) => !known.has(h.nodeId));
    if (fresh.length > 0) await tx.insert('compute_nodes', fresh.map((h) => ({ ...nodeColumns(h), incarnation, seq, reported_at: now, created_at: now, updated_at: now }))); // prettier-ignore
    for (const host of hosts.filter((h) => known.has(h.nodeId))) {
      const [set, values] = assignments({ ...nodeColumns(host), incarnation, seq, reported_at: now, updated_at: now });
      const newer = '(incarnation < ? OR (incarnation = ? AND seq <= ?))';
      await tx.execute(`UPDATE compute_nodes SET ${set} WHERE uuid = ? AND ${newer}`, [
        ...values,
        host.nodeId,
        incarnation,
        incarnation,
        seq,
      ]);
    }
  }
}

function newService(agent: Agent, host: string, id: string, now: number): SqlRow {
  return {
    uuid: id,
    host,
    binary_name: COMPUTE_BINARY,
    topic: 'compute',
    disabled: 0,
    disabled_reason: null,
    forced_down: 0,
    last_seen_at: now,
    report_count: 1,
    version: agent.serviceVersion,
    agent_id: agent.agentId,
    incarnation: agent.incarnation,
    rpc_user: agent.rpcUser ?? null,
    created_at: now,
    updated_at: null,
  };
}

/** Nobody takes a host by registering it. The names are for conductor's log, not for who asks. */
function refuseOtherUsers({ rpcUser }: Agent, services: ReadonlyMap<string, Service>): void {
  if (rpcUser === undefined) return;
  const taken = [...services.values()].find((s) => s.rpcUser !== null && s.rpcUser !== rpcUser);
  if (!taken) return;
  const message = `host ${taken.host} was registered by another RPC user; an operator frees it by deleting its compute service ${taken.id}`;
  throw conflict(message, { code: 'host.other_user' });
}

type NodeName = Pick<ComputeNodeRow, 'uuid' | 'host' | 'node'>;

/**
 * A node is its host's for good, and a host's node keeps its uuid, under which Placement knows what is there. An agent
 * that brings another has lost its state folder, or is not the host's agent.
 */
function refuseOtherNodes(
  hosts: readonly HostState[],
  nodes: readonly NodeName[],
  services: ReadonlyMap<string, Service>,
): void {
  const hostOf = new Map(hosts.map((h) => [h.nodeId, h.host]));
  const idOf = new Map(hosts.map((h) => [`${h.host}\0${h.node}`, h.nodeId]));
  for (const { uuid, host, node } of nodes) {
    if ((hostOf.get(uuid) ?? host) !== host)
      throw conflict(`compute node ${uuid} belongs to host ${host}`, { code: 'host.node_taken' });
    const brought = idOf.get(`${host}\0${node}`);
    if (brought === undefined || brought === uuid) continue;
    const message = `host ${host} is known by compute node ${uuid}, not ${brought}: its agent needs the state folder that it had; an operator takes the host out of the cloud by deleting its compute service ${services.get(host)?.id ?? ''}`;
    throw conflict(message, { code: 'host.other_node' });
  }
}

function nodeColumns(h: HostState): SqlRow {
  return {
    uuid: h.nodeId,
    host: h.host,
    node: h.node,
    hypervisor_type: h.hypervisorType,
    hypervisor_version: h.hypervisorVersion,
    host_ip: h.hostIp,
    vcpus: h.vcpus,
    memory_mb: h.memoryMb,
    disk_gb: h.diskGb,
    vcpus_used: h.vcpusUsed,
    memory_mb_used: h.memoryMbUsed,
    disk_gb_used: h.diskGbUsed,
    running_guests: h.runningGuests,
    io_ops: h.ioOps,
    failed_builds: h.failedBuilds,
    cpu_info: h.cpuInfo,
    architecture: h.architecture,
    capabilities: JSON.stringify(h.capabilities),
    traits: JSON.stringify(h.traits),
    uptime_seconds: h.uptimeSeconds,
  };
}

export const serviceOf = (row: ServiceRow): Service => ({
  id: row.uuid,
  rowId: row.id,
  host: row.host,
  binary: row.binary_name,
  topic: row.topic,
  disabled: row.disabled === 1,
  disabledReason: row.disabled_reason,
  forcedDown: row.forced_down === 1,
  lastSeenAt: row.last_seen_at,
  reportCount: row.report_count,
  version: row.version,
  agentId: row.agent_id,
  incarnation: row.incarnation,
  rpcUser: row.rpc_user,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
