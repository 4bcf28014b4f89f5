import { conflict, forbidden, invalid, notFound, type FractusError } from '@fractus/objects';

export const unknownImage = (id: string): FractusError =>
  notFound(`No image found with ID ${id}`, { code: 'image.not_found', details: { id } });
export const badImage = (message: string): FractusError => invalid(message, { code: 'image.invalid' });
export const notYours = (what: string): FractusError =>
  forbidden(`You are not permitted to ${what}.`, { code: 'image.forbidden' });
export const wrongStatus = (message: string): FractusError => conflict(message, { code: 'image.status' });
