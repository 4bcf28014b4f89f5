import { Module } from '@nestjs/common';
import { AggregatesRepository, HostsRepository, ServicesRepository } from '@fractus/compute-db';
import { computeContract, schedulerNews } from '@fractus/rpc-contracts';
import { Services } from '../../app/services/services';
import type { ApiParts } from '../../parts';
import { serviceLivenessOf } from '../availability-zones/availability-zones.module';
import { clientOf, hostClientOf, placementOf } from '../rpc';
import { useCase } from '../use-case';
import { ServicesController } from './services.controller';

function servicesOf(parts: ApiParts): Services {
  const { deps, config } = parts;
  const liveness = serviceLivenessOf(parts);
  return new Services({
    hosts: new HostsRepository(deps.database),
    services: new ServicesRepository(deps.database),
    aggregates: new AggregatesRepository(deps.database),
    compute: hostClientOf(parts, computeContract),
    placement: placementOf(parts),
    news: clientOf(parts, schedulerNews),
    logger: deps.logger,
    zones: { fallback: config.defaultZone, internal: config.internalZone },
    isUp: (service) => liveness.isUp(service),
    now: () => Date.now(),
  });
}

@Module({ controllers: [ServicesController], providers: [useCase(Services, servicesOf)] })
export class ServicesModule {}
