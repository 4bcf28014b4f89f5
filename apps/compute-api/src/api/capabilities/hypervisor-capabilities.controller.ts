import { Controller } from '@nestjs/common';
import type { Hypervisor } from '@fractus/compute-db';
import { isoTime, nextHref, parsePage } from '@fractus/http';
import { CAPABILITIES } from '@fractus/hypervisors-capabilities';
import { type Answer, lastOf } from '@fractus/microversions';
import { invalid, type RequestContext } from '@fractus/objects';
import { isCustomTrait, isStandardTrait } from '@fractus/os-traits';
import { HypervisorsCapabilities } from '../../app/capabilities/hypervisor-capabilities';
import { ApiParts } from '../../parts';
import { Api, type ApiRequest, type NovaFlags } from '../api';
import { keyOf, markerOf } from '../hypervisors/hypervisors.controller';
import { ListHypervisorCapabilitiesQuery, ShowHypervisorCapabilitiesQuery } from './capabilities.dto';
import { unlessKnown } from './entity-tag';
import { hypervisorCapabilitiesView, hypervisorToldView } from './hypervisor-capabilities.presenter';

const RULE = 'os_compute_api:os-hypervisors:capabilities';

@Controller()
export class HypervisorCapabilitiesController {
  constructor(
    private readonly capabilities: HypervisorsCapabilities,
    private readonly parts: ApiParts,
  ) {}

  @Api('GET /os-hypervisors/capabilities', { query: ListHypervisorCapabilitiesQuery, policy: RULE })
  async list(
    ctx: RequestContext,
    { query, raw }: ApiRequest<unknown, ListHypervisorCapabilitiesQuery>,
    flags: NovaFlags,
  ): Promise<Answer> {
    const { trait = [], capability = [] } = query;
    trait.forEach(requireTrait);
    capability.forEach(requireCapability);
    const marker = lastOf(query.marker);
    const { limit } = parsePage({ limit: query.limit ?? [] }, this.parts.config);
    const page = await this.capabilities.page(ctx, {
      traits: trait,
      capabilities: capability,
      limit,
      marker: marker === undefined ? null : markerOf(marker, flags),
    });
    const { items, next, unknown } = page;
    return unlessKnown(raw, {
      capabilities: items.map((told) => hypervisorToldView(told, idOf(told.hypervisor, flags))),
      evaluated_at: isoTime(Date.now()),
      microversion: raw.fractusVersion,
      unknown,
      ...(next ? { capabilities_links: [{ rel: 'next', href: nextHref(raw, String(idOf(next, flags))) }] } : {}),
    });
  }

  @Api('GET /os-hypervisors/{id}/capabilities', { query: ShowHypervisorCapabilitiesQuery, policy: RULE })
  async show(
    ctx: RequestContext,
    { params, raw }: ApiRequest<unknown, ShowHypervisorCapabilitiesQuery>,
    flags: NovaFlags,
  ): Promise<Answer> {
    const found = await this.capabilities.get(ctx, keyOf(params, flags));
    const id = idOf(found.hypervisor, flags);
    const view = hypervisorCapabilitiesView(found, id, raw.fractusVersion ?? '2.1', Date.now());
    return unlessKnown(raw, { capabilities: view });
  }
}

const idOf = ({ nodeId, rowId }: Hypervisor, flags: NovaFlags): string | number =>
  flags['hypervisors.uuid'] ? nodeId : rowId;

const KNOWN: ReadonlySet<string> = new Set(CAPABILITIES);

/** Drivers may have capabilities of their own, by the name of the trait that tells of them. */
function requireCapability(name: string): void {
  if (KNOWN.has(name) || name.startsWith('CUSTOM_COMPUTE_')) return;
  throw invalid(`capability: '${name}' is none of ${CAPABILITIES.join(', ')}, nor begins with CUSTOM_COMPUTE_`, {
    code: 'query.capability',
  });
}

function requireTrait(name: string): void {
  if (isStandardTrait(name) || isCustomTrait(name)) return;
  throw invalid(`trait: '${name}' is no standard trait, nor begins with CUSTOM_`, { code: 'query.trait' });
}
