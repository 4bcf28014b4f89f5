import { defineFilter } from './filter';

/** A host or hypervisor named in the request (microversion 2.74) is the only one to consider. */
export const requestedDestinationFilter = defineFilter({
  name: 'RequestedDestination',
  always: true,
  codes: { 'target.other_host': 'not the host asked for', 'target.other_node': 'not the hypervisor asked for' },
  check({ host, node }, { requestedHost, requestedNode }, _options, reject) {
    if (requestedHost !== null && requestedHost !== host) {
      return reject('target.other_host', host, requestedHost, `${host} is not the host asked for, ${requestedHost}.`);
    }
    if (requestedNode !== null && requestedNode !== node) {
      const sentence = `${node} is not the hypervisor asked for, ${requestedNode}.`;
      return reject('target.other_node', node, requestedNode, sentence);
    }
    return null;
  },
});
