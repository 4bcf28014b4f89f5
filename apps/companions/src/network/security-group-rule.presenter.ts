import { wireOfRow, type Wire } from '../resource-table/resource-table';
import type { SecurityGroupRuleRow } from './network.rows';
import { SECURITY_GROUP_RULES } from './network.tables';

/** A rule, as it stands alone and inside its group. */
export function presentRule(row: SecurityGroupRuleRow): Wire {
  return {
    ...wireOfRow(SECURITY_GROUP_RULES, { ...row }),
    tenant_id: row.project_id,
    remote_address_group_id: null,
    normalized_cidr: (row as { remote_ip_prefix?: string | null }).remote_ip_prefix ?? null,
    tags: [],
  };
}
