import type { Type } from '@nestjs/common';
import { AggregatesModule } from './aggregates/aggregates.module';
import { AvailabilityZonesModule } from './availability-zones/availability-zones.module';
import { CapabilitiesModule } from './capabilities/capabilities.module';
import { FlavorsModule } from './flavors/flavors.module';
import { HypervisorsModule } from './hypervisors/hypervisors.module';
import { InstanceActionsModule } from './instance-actions/instance-actions.module';
import { KeyPairsModule } from './key-pairs/key-pairs.module';
import { LimitsModule } from './limits/limits.module';
import { QuotaClassSetsModule } from './quota-class-sets/quota-class-sets.module';
import { QuotaSetsModule } from './quota-sets/quota-sets.module';
import { ScheduleInfoModule } from './schedule-info/schedule-info.module';
import { ServersModule } from './servers/servers.module';
import { ServicesModule } from './services/services.module';

/** Every resource of the API, one module each. */
export const RESOURCES: readonly Type[] = [
  AggregatesModule,
  AvailabilityZonesModule,
  CapabilitiesModule,
  FlavorsModule,
  HypervisorsModule,
  InstanceActionsModule,
  KeyPairsModule,
  LimitsModule,
  QuotaClassSetsModule,
  QuotaSetsModule,
  ScheduleInfoModule,
  ServersModule,
  ServicesModule,
];
