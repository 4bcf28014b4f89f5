import { Controller } from '@nestjs/common';
import { AvailabilityZones } from '../../app/availability-zones/availability-zones';
import { ServiceLiveness } from '../../app/services/service-liveness';
import { Api } from '../api';
import { ListAvailabilityZonesQuery } from './availability-zones.dto';
import { briefZone, detailedZone } from './availability-zones.presenter';

@Controller()
export class AvailabilityZonesController {
  constructor(
    private readonly zones: AvailabilityZones,
    private readonly liveness: ServiceLiveness,
  ) {}

  @Api('GET /os-availability-zone', {
    query: ListAvailabilityZonesQuery,
    policy: 'os_compute_api:os-availability-zone:list',
  })
  async list(): Promise<object> {
    const zones = await this.zones.list();
    return { availabilityZoneInfo: zones.filter((z) => !this.zones.isInternal(z)).map(briefZone) };
  }

  @Api('GET /os-availability-zone/detail', {
    query: ListAvailabilityZonesQuery,
    policy: 'os_compute_api:os-availability-zone:detail',
  })
  async detail(): Promise<object> {
    const zones = await this.zones.list();
    return { availabilityZoneInfo: zones.map((z) => detailedZone(z, (s) => this.liveness.isUp(s))) };
  }
}
