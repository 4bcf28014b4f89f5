import { capabilitiesRules } from './capabilities.rules';
import { scheduleInfoRules } from './schedule-info.rules';
import { baseRules } from './base.rules';
import { adminActionsRules } from './admin-actions.rules';
import { adminPasswordRules } from './admin-password.rules';
import { aggregatesRules } from './aggregates.rules';
import { assistedVolumeSnapshotsRules } from './assisted-volume-snapshots.rules';
import { attachInterfacesRules } from './attach-interfaces.rules';
import { availabilityZoneRules } from './availability-zone.rules';
import { baremetalNodesRules } from './baremetal-nodes.rules';
import { consoleAuthTokensRules } from './console-auth-tokens.rules';
import { consoleOutputRules } from './console-output.rules';
import { createBackupRules } from './create-backup.rules';
import { deferredDeleteRules } from './deferred-delete.rules';
import { evacuateRules } from './evacuate.rules';
import { extendedServerAttributesRules } from './extended-server-attributes.rules';
import { extensionsRules } from './extensions.rules';
import { flavorAccessRules } from './flavor-access.rules';
import { flavorExtraSpecsRules } from './flavor-extra-specs.rules';
import { flavorManageRules } from './flavor-manage.rules';
import { floatingIpPoolsRules } from './floating-ip-pools.rules';
import { floatingIpsRules } from './floating-ips.rules';
import { hostsRules } from './hosts.rules';
import { hypervisorsRules } from './hypervisors.rules';
import { instanceActionsRules } from './instance-actions.rules';
import { instanceUsageAuditLogRules } from './instance-usage-audit-log.rules';
import { ipsRules } from './ips.rules';
import { keypairsRules } from './keypairs.rules';
import { limitsRules } from './limits.rules';
import { lockServerRules } from './lock-server.rules';
import { migrateServerRules } from './migrate-server.rules';
import { migrationsRules } from './migrations.rules';
import { multinicRules } from './multinic.rules';
import { networksRules } from './networks.rules';
import { pauseServerRules } from './pause-server.rules';
import { quotaClassSetsRules } from './quota-class-sets.rules';
import { quotaSetsRules } from './quota-sets.rules';
import { remoteConsolesRules } from './remote-consoles.rules';
import { rescueRules } from './rescue.rules';
import { securityGroupsRules } from './security-groups.rules';
import { serverDiagnosticsRules } from './server-diagnostics.rules';
import { serverExternalEventsRules } from './server-external-events.rules';
import { serverGroupsRules } from './server-groups.rules';
import { serverMetadataRules } from './server-metadata.rules';
import { serverPasswordRules } from './server-password.rules';
import { serverSharesRules } from './server-shares.rules';
import { serverTagsRules } from './server-tags.rules';
import { serverTopologyRules } from './server-topology.rules';
import { serversRules } from './servers.rules';
import { serversMigrationsRules } from './servers-migrations.rules';
import { servicesRules } from './services.rules';
import { shelveRules } from './shelve.rules';
import { simpleTenantUsageRules } from './simple-tenant-usage.rules';
import { suspendServerRules } from './suspend-server.rules';
import { tenantNetworksRules } from './tenant-networks.rules';
import { volumesRules } from './volumes.rules';
import { volumesAttachmentsRules } from './volumes-attachments.rules';

/** Every rule under upstream's name with upstream's default. Made by tools/generators/policy-rules.mjs. */
export const computeRules = [
  ...capabilitiesRules,
  ...scheduleInfoRules,
  ...baseRules,
  ...adminActionsRules,
  ...adminPasswordRules,
  ...aggregatesRules,
  ...assistedVolumeSnapshotsRules,
  ...attachInterfacesRules,
  ...availabilityZoneRules,
  ...baremetalNodesRules,
  ...consoleAuthTokensRules,
  ...consoleOutputRules,
  ...createBackupRules,
  ...deferredDeleteRules,
  ...evacuateRules,
  ...extendedServerAttributesRules,
  ...extensionsRules,
  ...flavorAccessRules,
  ...flavorExtraSpecsRules,
  ...flavorManageRules,
  ...floatingIpPoolsRules,
  ...floatingIpsRules,
  ...hostsRules,
  ...hypervisorsRules,
  ...instanceActionsRules,
  ...instanceUsageAuditLogRules,
  ...ipsRules,
  ...keypairsRules,
  ...limitsRules,
  ...lockServerRules,
  ...migrateServerRules,
  ...migrationsRules,
  ...multinicRules,
  ...networksRules,
  ...pauseServerRules,
  ...quotaClassSetsRules,
  ...quotaSetsRules,
  ...remoteConsolesRules,
  ...rescueRules,
  ...securityGroupsRules,
  ...serverDiagnosticsRules,
  ...serverExternalEventsRules,
  ...serverGroupsRules,
  ...serverMetadataRules,
  ...serverPasswordRules,
  ...serverSharesRules,
  ...serverTagsRules,
  ...serverTopologyRules,
  ...serversRules,
  ...serversMigrationsRules,
  ...servicesRules,
  ...shelveRules,
  ...simpleTenantUsageRules,
  ...suspendServerRules,
  ...tenantNetworksRules,
  ...volumesRules,
  ...volumesAttachmentsRules,
] as const;

export type ComputeRuleName = (typeof computeRules)[number]['name'];
