/** Identity's refusals in one place; the sentences are those that clients know to show. */
import { conflict, forbidden, invalid, notFound, unauthenticated, type FractusError } from '@fractus/objects';

export const unknownRecord = (what: string, id: string): FractusError =>
  notFound(`Could not find ${what.replaceAll('_', ' ')}: ${id}.`, {
    code: `identity.${what}_not_found`,
    details: { id },
  });

export const duplicate = (what: string, name: string): FractusError =>
  conflict(`Conflict occurred attempting to store ${what.replaceAll('_', ' ')}: ${name} exists already.`, {
    code: `identity.${what}_exists`,
  });

export const refusedLogin = (): FractusError =>
  unauthenticated('The request you have made requires authentication.', { code: 'identity.login_refused' });

export const notAllowed = (action: string): FractusError =>
  forbidden(`You are not authorized to perform the requested action: ${action}.`, {
    code: 'identity.forbidden',
    details: { action },
  });

export const badInput = (message: string): FractusError => invalid(message, { code: 'identity.invalid' });
