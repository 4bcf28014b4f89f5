/** The volume service's refusals; the sentence says what is not so. */
import { FractusError, forbidden, invalid, notFound } from '@fractus/objects';

export const badVolume = (message: string, code = 'volume.invalid'): FractusError => invalid(message, { code });
export const denied = (rule: string): FractusError =>
  forbidden(`Policy doesn't allow ${rule} to be performed.`, { code: 'volume.forbidden' });
export const missing = (what: string, id: string): FractusError =>
  notFound(`${what} ${id} could not be found.`, { code: `volume.${what.toLowerCase().replace(/ /g, '_')}_not_found` });
export const unknownVolume = (id: string): FractusError => missing('Volume', id);
export const unknownAttachment = (id: string): FractusError => missing('Volume attachment', id);
export const unknownType = (id: string): FractusError => missing('Volume type', id);

/** A move that the volume's state does not allow. Cinder answers 400 to these. */
export const wrongState = (id: string, needed: readonly string[], verb: string, is: string): FractusError =>
  badVolume(
    `Invalid volume: Volume ${id} status must be ${needed.join(' or ')} to ${verb}, but the current status is ${is}.`,
    'volume.status',
  );
