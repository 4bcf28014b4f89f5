import { isValid, parse, parseCIDR } from 'ipaddr.js';
import { defineFilter } from './filter';

/** Hints `build_near_host_ip` and `cidr` (default /24): hosts of the same network. */
export const simpleCidrAffinityFilter = defineFilter({
  name: 'SimpleCIDRAffinityFilter',
  codes: { 'hint.cidr': 'outside the network in hint build_near_host_ip' },
  check({ host, hostIp }, { schedulerHints }, _options, reject) {
    const near = schedulerHints['build_near_host_ip']?.[0];
    if (near === undefined) return null;
    const network = near + (schedulerHints['cidr']?.[0] ?? '/24');
    if (within(hostIp, network)) return null;
    return reject('hint.cidr', hostIp, network, `${host} has address ${hostIp}, which is not in ${network}.`);
  },
});

function within(address: string, network: string): boolean {
  try {
    const ip = parse(address);
    const range = parseCIDR(network);
    return isValid(address) && ip.kind() === range[0].kind() && ip.match(range);
  } catch {
    return false; // a hint that is no network is met by no host
  }
}
