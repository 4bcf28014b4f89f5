import { Module } from '@nestjs/common';
import { AggregatesRepository, HostsRepository, HypervisorsRepository, ServicesRepository } from '@fractus/compute-db';
import { schedulerNews } from '@fractus/rpc-contracts';
import { Aggregates } from '../../app/aggregates/aggregates';
import { ProviderAggregates } from '../../app/aggregates/provider-aggregates';
import type { ApiParts } from '../../parts';
import { clientOf, placementOf } from '../rpc';
import { useCase } from '../use-case';
import { AggregatesController } from './aggregates.controller';

function aggregatesOf(parts: ApiParts): Aggregates {
  const { database, logger } = parts.deps;
  return new Aggregates({
    aggregates: new AggregatesRepository(database),
    hosts: new HostsRepository(database),
    hypervisors: new HypervisorsRepository(database),
    providers: new ProviderAggregates({
      services: new ServicesRepository(database),
      placement: placementOf(parts),
    }),
    news: clientOf(parts, schedulerNews),
    logger,
    now: () => Date.now(),
  });
}

@Module({ controllers: [AggregatesController], providers: [useCase(Aggregates, aggregatesOf)] })
export class AggregatesModule {}
