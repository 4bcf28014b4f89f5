import type { Tx } from '@fractus/database';
import { compileDto } from '@fractus/dto-schema';
import type { FractusError, RequestContext } from '@fractus/objects';
import { wireOfRow, type Condition, type Wire } from '../resource-table/resource-table';
import { cidrOf, cidrText, addressOf } from './ipam';
import { insertRow, ofProject, ownerOf, type Kind } from './kind';
import { badNetwork, clash, missing } from './network-errors';
import { NewSecurityGroupRule } from './network.dto';
import type { SecurityGroupRuleRow } from './network.rows';
import { SECURITY_GROUP_RULES } from './network.tables';
import { presentRule } from './security-group-rule.presenter';
import { usableGroup } from './security-groups';

export class SecurityGroupRules implements Kind<SecurityGroupRuleRow> {
  readonly path = 'security-group-rules';
  readonly table = SECURITY_GROUP_RULES;
  readonly missing = (id: string): FractusError => missing('SecurityGroupRuleNotFound', 'Security group rule', id);

  visibleTo(ctx: RequestContext): Condition {
    const groups = 'SELECT g.id FROM security_groups g WHERE g.project_id = ?';
    const own = ofProject(ctx);
    return { sql: `(${own.sql} OR t.group_id IN (${groups}))`, params: [...own.params, ctx.projectId ?? ''] };
  }

  filters(): Condition[] {
    return [];
  }

  async complete(rows: readonly SecurityGroupRuleRow[]): Promise<Wire[]> {
    return rows.map(presentRule);
  }

  async create(tx: Tx, ctx: RequestContext, body: unknown): Promise<string> {
    const given = compileDto(NewSecurityGroupRule).parse(body);
    const group = await usableGroup(tx, ctx, given.security_group_id);
    if (given.remote_group_id) await usableGroup(tx, ctx, given.remote_group_id);
    const rule = normalised(given);
    await this.refuseTwin(tx, rule);
    const owner = given.project_id ?? given.tenant_id ?? group.project_id;
    return insertRow(tx, SECURITY_GROUP_RULES, ownerOf(ctx, { project_id: owner }), rule);
  }

  async update(): Promise<void> {
    throw badNetwork('A rule cannot be changed: remove it and make another.', 'HTTPBadRequest');
  }

  async remove(tx: Tx, _ctx: RequestContext, row: SecurityGroupRuleRow): Promise<void> {
    await tx.execute('DELETE FROM security_group_rules WHERE id = ?', [row.id]);
  }

  private async refuseTwin(tx: Tx, rule: Wire): Promise<void> {
    const rows = await tx.query<SecurityGroupRuleRow>('SELECT * FROM security_group_rules WHERE group_id = ?', [
      String(rule['security_group_id']),
    ]);
    const parts = [
      'direction',
      'ethertype',
      'protocol',
      'port_range_min',
      'port_range_max',
      'remote_ip_prefix',
      'remote_group_id',
    ];
    const same = (wire: Wire): boolean => parts.every((p) => String(wire[p] ?? '') === String(rule[p] ?? ''));
    const twin = rows.find((row) => same(wireOfRow(SECURITY_GROUP_RULES, { ...row })));
    if (twin) throw clash('SecurityGroupRuleExists', `Security group rule already exists. Rule id is ${twin.id}.`);
  }
}

/** @throws invalid for ports and prefixes that do not go together */
function normalised(given: NewSecurityGroupRule): Wire {
  const ethertype = given.ethertype?.toLowerCase() === 'ipv6' ? 'IPv6' : 'IPv4';
  const protocol =
    given.protocol === null || given.protocol === undefined || given.protocol === 'any'
      ? null
      : String(given.protocol).toLowerCase();
  checkPorts(given, protocol);
  if (given.remote_group_id && given.remote_ip_prefix) {
    throw badNetwork(
      'Only remote_ip_prefix or remote_group_id may be provided.',
      'SecurityGroupRemoteGroupAndRemoteIpPrefix',
    );
  }
  const { project_id: _p, tenant_id: _t, remote_address_group_id: _a, ...own } = given;
  return {
    ...own,
    ethertype,
    protocol,
    remote_ip_prefix: given.remote_ip_prefix ? prefixOf(given.remote_ip_prefix, ethertype) : null,
  };
}

function prefixOf(text: string, ethertype: string): string {
  const address = addressOf(text);
  const cidr = cidrOf(address ? `${text}/${address.version === 4 ? 32 : 128}` : text);
  if (!cidr) throw badNetwork(`remote_ip_prefix '${text}' is neither an address nor a cidr.`);
  if (`IPv${cidr.version}` !== ethertype) {
    throw badNetwork(`Conflicting value ethertype ${ethertype} for CIDR ${text}`, 'SecurityGroupRuleParameterConflict');
  }
  return cidrText(cidr);
}

const WITH_PORTS = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite', '6', '17', '132', '33', '136']);
const ICMP = new Set(['icmp', 'icmpv6', 'ipv6-icmp', '1', '58']);

function checkPorts({ port_range_min: min, port_range_max: max }: NewSecurityGroupRule, protocol: string | null): void {
  if ((min ?? null) === null && (max ?? null) === null) return;
  if (protocol === null)
    throw badNetwork('Must also specify protocol if port range is given.', 'SecurityGroupProtocolRequiredWithPorts');
  if (ICMP.has(protocol)) {
    const bad = [min, max].find((v) => v !== null && v !== undefined && (v < 0 || v > 255));
    if (bad !== undefined)
      throw badNetwork(
        `Invalid value ${bad} for ICMP type or code: 0 to 255 is allowed.`,
        'SecurityGroupInvalidIcmpValue',
      );
    if ((min ?? null) === null)
      throw badNetwork(
        'ICMP code (port_range_max) is given without a type (port_range_min).',
        'SecurityGroupMissingIcmpType',
      );
    return;
  }
  if (!WITH_PORTS.has(protocol))
    throw badNetwork(`Protocol ${protocol} has no ports.`, 'SecurityGroupInvalidProtocolForPort');
  if (typeof min !== 'number' || typeof max !== 'number' || min < 1 || min > max) {
    throw badNetwork(
      'For TCP/UDP protocols, port_range_min must be <= port_range_max, and both at least 1.',
      'SecurityGroupInvalidPortRange',
    );
  }
}
