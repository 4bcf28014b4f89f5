import { Module } from '@nestjs/common';
import { FailedAttemptsRepository, HostsRepository, HypervisorsRepository } from '@fractus/compute-db';
import { HypervisorsCapabilities } from '../../app/capabilities/hypervisor-capabilities';
import type { ApiParts } from '../../parts';
import { serviceLivenessOf } from '../availability-zones/availability-zones.module';
import { placementOf } from '../rpc';
import { ServerParts } from '../servers/server-parts';
import { useCase } from '../use-case';
import { HypervisorCapabilitiesController } from './hypervisor-capabilities.controller';
import { ServerCapabilitiesController } from './server-capabilities.controller';

function hypervisorsCapabilitiesOf(parts: ApiParts): HypervisorsCapabilities {
  const { database } = parts.deps;
  const liveness = serviceLivenessOf(parts);
  return new HypervisorsCapabilities({
    hypervisors: new HypervisorsRepository(database),
    hosts: new HostsRepository(database),
    attempts: new FailedAttemptsRepository(database),
    placement: placementOf(parts),
    isUp: (service) => liveness.isUp(service),
    now: () => Date.now(),
  });
}

@Module({
  controllers: [HypervisorCapabilitiesController, ServerCapabilitiesController],
  providers: [
    useCase(ServerParts, (parts) => new ServerParts(parts)),
    useCase(HypervisorsCapabilities, hypervisorsCapabilitiesOf),
  ],
})
export class CapabilitiesModule {}
