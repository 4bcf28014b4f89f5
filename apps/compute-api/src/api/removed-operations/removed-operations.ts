/**
 * Operations that the Compute API once had. They went together with what they stood for (nova-network, XenAPI, cells
 * v1), so they went from every microversion at once: within the versions that know them they answer 410 (Gone), not 404.
 * This is the list; `install-removed-operations.ts` answers by it.
 */
import type { Version } from '@fractus/dto-schema';
import type { Method } from '@fractus/microversions';

export interface RemovedOperation {
  readonly method: Method;
  /** As the API's documentation writes it. */
  readonly path: string;
  /** Key of the body where the path is an action route. */
  readonly action: string | null;
  /** Versions that know the operation; null is without bound. Outside of them it is simply not there (404). */
  readonly min: Version | null;
  readonly max: Version | null;
  readonly code: 410 | 400;
  /** What a client is told: since when, and what to use instead. */
  readonly message: string;
}

type RemovedRoute = `${Method} /${string}`;

/** `POST /os-networks/{id}/action disassociate` is an action of an action route. */
function gone(since: string, why: string, routes: readonly RemovedRoute[]): RemovedOperation[] {
  return routes.map((route) => {
    const [method = '', path = '', action = null] = route.split(' ');
    const message = `This operation is gone since release ${since}: ${why}.`;
    return { method: method as Method, path, action, min: null, max: null, code: 410, message };
  });
}

const NETWORKS = 'networks are managed by the network service';

export const REMOVED_OPERATIONS: readonly RemovedOperation[] = [
  ...gone('16.0.0', 'there is no certificate service any more', [
    'POST /os-certificates',
    'GET /os-certificates/{id}',
    'GET /os-cloudpipe',
    'POST /os-cloudpipe',
    'PUT /os-cloudpipe/{id}',
  ]),
  ...gone('18.0.0', NETWORKS, [
    'GET /os-fixed-ips/{id}',
    'POST /os-fixed-ips/{id}/action reserve',
    'POST /os-fixed-ips/{id}/action unreserve',
    'GET /os-floating-ip-dns',
    'PUT /os-floating-ip-dns/{id}',
    'DELETE /os-floating-ip-dns/{id}',
    'GET /os-floating-ip-dns/{domain_id}/entries/{id}',
    'PUT /os-floating-ip-dns/{domain_id}/entries/{id}',
    'DELETE /os-floating-ip-dns/{domain_id}/entries/{id}',
    'GET /os-floating-ips-bulk',
    'POST /os-floating-ips-bulk',
    'GET /os-floating-ips-bulk/{id}',
    'PUT /os-floating-ips-bulk/{id}',
    'GET /os-fping',
    'GET /os-fping/{id}',
    'POST /os-networks/{id}/action disassociate_host',
    'POST /os-networks/{id}/action disassociate_project',
    'POST /os-networks/{id}/action associate_host',
  ]),
  ...gone('18.0.0', 'the interfaces of a server are listed by GET /servers/{id}/os-interface', [
    'GET /servers/{server_id}/os-virtual-interfaces',
  ]),
  ...gone('20.0.0', 'cells of the first kind are no more', [
    'POST /os-cells',
    'GET /os-cells',
    'GET /os-cells/capacities',
    'GET /os-cells/detail',
    'GET /os-cells/info',
    'POST /os-cells/sync_instances',
    'GET /os-cells/{id}',
    'PUT /os-cells/{id}',
    'DELETE /os-cells/{id}',
    'GET /os-cells/{id}/capacities',
  ]),
  ...gone('21.0.0', NETWORKS, [
    'POST /os-networks',
    'POST /os-networks/add',
    'DELETE /os-networks/{id}',
    'POST /os-networks/{id}/action disassociate',
    'GET /os-security-group-default-rules',
    'POST /os-security-group-default-rules',
    'GET /os-security-group-default-rules/{id}',
    'DELETE /os-security-group-default-rules/{id}',
    'POST /os-tenant-networks',
    'DELETE /os-tenant-networks/{id}',
  ]),
  ...gone('21.0.0', 'consoles are asked for by POST /servers/{id}/remote-consoles', [
    'GET /servers/{server_id}/consoles',
    'POST /servers/{server_id}/consoles',
    'GET /servers/{server_id}/consoles/{id}',
    'DELETE /servers/{server_id}/consoles/{id}',
  ]),
  ...gone('22.0.0', 'guest agents came with a driver that is no more', [
    'GET /os-agents',
    'POST /os-agents',
    'PUT /os-agents/{id}',
    'DELETE /os-agents/{id}',
  ]),
  ...gone('23.0.0', 'the driver that could do it is no more', ['POST /servers/{id}/action resetNetwork']),
  {
    method: 'POST',
    path: '/servers/{id}/action',
    action: 'os-getRDPConsole',
    min: '2.1',
    max: '2.5',
    code: 400,
    message: 'There are no RDP consoles since release 29.0.0: the driver that had them is no more.',
  },
];
