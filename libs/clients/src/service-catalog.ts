/** The service catalog of a token, and the lookup of an endpoint in it. */
import { unavailable } from '@fractus/objects';

export type EndpointInterface = 'public' | 'internal' | 'admin';

export interface CatalogEndpoint {
  readonly interface: EndpointInterface;
  readonly region: string | null;
  readonly url: string;
}

export interface CatalogService {
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly CatalogEndpoint[];
}

export interface EndpointWanted {
  /** Preferred interface; `public` is taken where it is missing. */
  readonly interface?: EndpointInterface;
  readonly region?: string;
}

/** Old type names that clouds still register (OpenStack service types authority). */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'block-storage': ['block-storage', 'volumev3', 'volume'],
  'shared-file-system': ['shared-file-system', 'sharev2', 'share'],
  baremetal: ['baremetal', 'bare-metal'],
};

export class ServiceCatalog {
  constructor(readonly services: readonly CatalogService[]) {}

  /** Reads the `catalog` of a Keystone v3 token body. */
  static of(wire: unknown): ServiceCatalog {
    return new ServiceCatalog(Array.isArray(wire) ? wire.flatMap(serviceOf) : []);
  }

  /**
   * The URL of a service, without a trailing slash.
   * @throws unavailable `catalog.no_endpoint` where the catalog has none that fits.
   */
  endpoint(type: string, wanted: EndpointWanted = {}): string {
    const names = ALIASES[type] ?? [type];
    const all = this.services.filter((s) => names.includes(s.type)).flatMap((s) => s.endpoints);
    const inRegion = wanted.region === undefined ? all : all.filter((e) => e.region === wanted.region);
    const order: EndpointInterface[] = [wanted.interface ?? 'public', 'public', 'internal'];
    const found = order.map((i) => inRegion.find((e) => e.interface === i)).find((e) => e !== undefined);
    if (found) return found.url.replace(/\/+$/, '');
    const where = wanted.region === undefined ? '' : ` in region ${wanted.region}`;
    throw unavailable(`The service catalog has no ${type} endpoint${where}.`, {
      code: 'catalog.no_endpoint',
      details: { type, ...wanted },
    });
  }

  /** Whether a service of this type is registered at all. */
  has(type: string): boolean {
    const names = ALIASES[type] ?? [type];
    return this.services.some((s) => names.includes(s.type) && s.endpoints.length > 0);
  }
}

type Dict = Record<string, unknown>;
const text = (v: unknown): string | undefined => (typeof v === 'string' ? v : undefined);

function serviceOf(wire: unknown): CatalogService[] {
  const { type, name, endpoints } = (wire ?? {}) as Dict;
  if (typeof type !== 'string') return [];
  const list = Array.isArray(endpoints) ? (endpoints as Dict[]) : [];
  return [
    {
      type,
      name: text(name) ?? type,
      endpoints: list.flatMap((e) => {
        const url = text(e['url']);
        const kind = e['interface'];
        if (!url || (kind !== 'public' && kind !== 'internal' && kind !== 'admin')) return [];
        return [{ interface: kind, url, region: text(e['region_id']) ?? text(e['region']) ?? null }];
      }),
    },
  ];
}
