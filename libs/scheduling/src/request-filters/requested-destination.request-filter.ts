import { defineRequestFilter } from './request-filter';

/** A host or hypervisor named in the request: only its tree may answer. Names no compute node has are refused at once. */
export const requestedDestination = defineRequestFilter({
  name: 'requested_destination',
  codes: { 'target.unknown': 'there is no such host or hypervisor' },
  apply({ requestedHost, requestedNode }, { hosts }, _options, refuse) {
    if (requestedHost === null && requestedNode === null) return null;
    const named = hosts.filter((h) => (requestedHost ?? h.host) === h.host && (requestedNode ?? h.node) === h.node);
    const wanted = [requestedHost && `host ${requestedHost}`, requestedNode && `hypervisor ${requestedNode}`];
    const need = wanted.filter((w) => w).join(', ');
    const [only] = named;
    if (!only) return refuse('target.unknown', null, need, `There is no ${need}.`);
    // Placement takes one tree; several nodes of one host are told apart by the filter of the same name
    return { constraints: named.length === 1 ? { inTree: only.nodeId } : { unlimited: true } };
  },
});
