import { Module } from '@nestjs/common';
import { AggregatesRepository, HostsRepository } from '@fractus/compute-db';
import { AvailabilityZones } from '../../app/availability-zones/availability-zones';
import { ServiceLiveness } from '../../app/services/service-liveness';
import type { ApiParts } from '../../parts';
import { useCase } from '../use-case';
import { AvailabilityZonesController } from './availability-zones.controller';

/** Zones as one set of parts sees them; other resources use it too. */
export const availabilityZonesOf = ({ deps, config }: ApiParts): AvailabilityZones =>
  new AvailabilityZones({
    hosts: new HostsRepository(deps.database),
    aggregates: new AggregatesRepository(deps.database),
    names: { fallback: config.defaultZone, internal: config.internalZone },
  });

export const serviceLivenessOf = ({ config }: ApiParts): ServiceLiveness =>
  new ServiceLiveness({ downAfterMs: config.serviceDownSeconds * 1000, now: () => Date.now() });

@Module({
  controllers: [AvailabilityZonesController],
  providers: [useCase(AvailabilityZones, availabilityZonesOf), useCase(ServiceLiveness, serviceLivenessOf)],
})
export class AvailabilityZonesModule {}
