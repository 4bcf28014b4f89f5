import { FractusError, timedOut } from '@fractus/objects';
import type { Address } from './transport';

/** The errors that transports and clients raise themselves, in one wording. */
export const pastDeadline = (pattern: string): FractusError =>
  timedOut(`${pattern} was not answered in time`, { code: 'rpc.timeout' });

export function unroutable(to: Address): FractusError {
  const name = to.host === undefined ? to.topic : `${to.topic}.${to.host}`;
  return new FractusError('unroutable', `Nobody serves ${name}`, { code: 'rpc.unroutable', details: { ...to } });
}
