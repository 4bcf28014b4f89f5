/** The network service's refusals. The code is `network.<type>`, where the type is the name that clients know. */
import { conflict, forbidden, invalid, notFound, type FractusError } from '@fractus/objects';

const code = (type: string): { code: string } => ({ code: `network.${type}` });

export const missing = (type: string, what: string, id: string): FractusError =>
  notFound(`${what} ${id} could not be found.`, code(type));
export const badNetwork = (message: string, type = 'InvalidInput'): FractusError => invalid(message, code(type));
export const clash = (type: string, message: string): FractusError => conflict(message, code(type));
export const denied = (what: string): FractusError =>
  forbidden(`${what} is disallowed by policy`, code('PolicyNotAuthorized'));

export const networkNotFound = (id: string): FractusError => missing('NetworkNotFound', 'Network', id);
export const subnetNotFound = (id: string): FractusError => missing('SubnetNotFound', 'Subnet', id);
export const portNotFound = (id: string): FractusError => missing('PortNotFound', 'Port', id);
export const exhausted = (networkId: string): FractusError =>
  clash('IpAddressGenerationFailure', `No more IP addresses available on network ${networkId}.`);
export const addressTaken = (ip: string, subnetId: string): FractusError =>
  clash('IpAddressAlreadyAllocated', `IP address ${ip} already allocated in subnet ${subnetId}`);
