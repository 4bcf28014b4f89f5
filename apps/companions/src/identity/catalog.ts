/** The service catalog as a token carries it. */
import type { Database } from '@fractus/database';
import type { EndpointRow, ServiceRow } from './identity.rows';

export interface CatalogEntry {
  id: string;
  type: string;
  name: string;
  endpoints: { id: string; interface: string; region: string | null; region_id: string | null; url: string }[];
}

export class Catalog {
  constructor(private readonly db: Database) {}

  /** Enabled services with their enabled endpoints; URLs that need a project are left out where there is none. */
  async for(userId: string, projectId: string | null): Promise<CatalogEntry[]> {
    const [services, endpoints] = await Promise.all([
      this.db.query<ServiceRow>('SELECT * FROM services WHERE enabled = 1 ORDER BY type, id'),
      this.db.query<EndpointRow>('SELECT * FROM endpoints WHERE enabled = 1 ORDER BY service_id, interface_name, id'),
    ]);
    return services
      .map((s) => ({
        id: s.id,
        type: s.type,
        name: s.name ?? '',
        endpoints: endpoints.flatMap((e) => {
          const url = e.service_id === s.id ? urlOf(e.url, userId, projectId) : undefined;
          return url === undefined
            ? []
            : [{ id: e.id, interface: e.interface_name, region: e.region_id, region_id: e.region_id, url }];
        }),
      }))
      .filter((s) => s.endpoints.length > 0);
  }
}

/** Both old spellings of the templates: `%(tenant_id)s` and `$(project_id)s`. */
function urlOf(template: string, userId: string, projectId: string | null): string | undefined {
  let missing = false;
  const url = template.replace(/[%$]\((project_id|tenant_id|user_id)\)s/g, (_all, name: string) => {
    const value = name === 'user_id' ? userId : projectId;
    if (value === null) missing = true;
    return value ?? '';
  });
  return missing ? undefined : url;
}
