import { Module } from '@nestjs/common';
import { HypervisorsRepository } from '@fractus/compute-db';
import { computeContract } from '@fractus/rpc-contracts';
import { Hypervisors } from '../../app/hypervisors/hypervisors';
import type { ApiParts } from '../../parts';
import { serviceLivenessOf } from '../availability-zones/availability-zones.module';
import { hostClientOf } from '../rpc';
import { useCase } from '../use-case';
import { HypervisorsController } from './hypervisors.controller';

function hypervisorsOf(parts: ApiParts): Hypervisors {
  const liveness = serviceLivenessOf(parts);
  return new Hypervisors({
    hypervisors: new HypervisorsRepository(parts.deps.database),
    compute: hostClientOf(parts, computeContract),
    isUp: (service) => liveness.isUp(service),
  });
}

@Module({ controllers: [HypervisorsController], providers: [useCase(Hypervisors, hypervisorsOf)] })
export class HypervisorsModule {}
