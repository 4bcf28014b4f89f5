import type { Database } from '@fractus/database';
import { conflict } from '@fractus/objects';
import type { Wire } from '../resource-table/resource-table';
import { badInput } from './identity-errors';
import { ENDPOINTS, REGIONS, SERVICES } from './identity.tables';
import type { EndpointChange, NewEndpoint, NewRegion } from './identity.dto';
import type { EndpointRow, ServiceRow } from './identity.rows';
import { newId, Records } from './records';

export interface RegionRow {
  id: string;
  parent_region_id: string | null;
}

/** Services, regions and endpoints, and what holds between them. */
export class CatalogRecords {
  readonly services: Records<ServiceRow>;
  readonly regions: Records<RegionRow>;
  readonly endpoints: Records<EndpointRow>;

  constructor(private readonly db: Database) {
    this.services = new Records(db, SERVICES);
    this.regions = new Records(db, REGIONS);
    this.endpoints = new Records(db, ENDPOINTS);
  }

  createService(wire: Wire): Promise<ServiceRow> {
    return this.services.create({ enabled: true, ...wire });
  }

  async deleteService(id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.services.delete(tx, id);
      await tx.execute('DELETE FROM endpoints WHERE service_id = ?', [id]);
    });
  }

  async createRegion(given: NewRegion): Promise<RegionRow> {
    if (given.parent_region_id) await this.regions.get(given.parent_region_id);
    return this.regions.create({ description: '', ...given }, { id: given.id ?? newId() });
  }

  async deleteRegion(id: string): Promise<void> {
    if ((await this.endpoints.list({ region_id: id })).length > 0) {
      throw conflict(`Region ${id} still has endpoints.`, { code: 'identity.region_in_use' });
    }
    await this.db.transaction((tx) => this.regions.delete(tx, id));
  }

  async createEndpoint(given: NewEndpoint): Promise<EndpointRow> {
    return this.endpoints.create({ enabled: true, ...(await this.checked(given)) });
  }

  async updateEndpoint(id: string, change: EndpointChange): Promise<EndpointRow> {
    return this.endpoints.update(id, await this.checked(change));
  }

  async deleteEndpoint(id: string): Promise<void> {
    await this.db.transaction((tx) => this.endpoints.delete(tx, id));
  }

  private async checked({ region, ...given }: EndpointChange): Promise<Wire> {
    const regionId = given.region_id ?? region;
    if (given.service_id !== undefined && !(await this.services.find(given.service_id))) {
      throw badInput(`endpoint.service_id ${given.service_id} is not a service.`);
    }
    if (regionId && !(await this.regions.find(regionId)))
      throw badInput(`endpoint.region_id ${regionId} is not a region.`);
    return { ...given, ...(regionId === undefined ? {} : { region_id: regionId }) };
  }
}
