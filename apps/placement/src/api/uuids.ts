import { FORMATS } from '@fractus/dto-schema';

/** A uuid in any of the spellings that the API accepts, as it is stored: lower case, with hyphens. */
export function canonicalUuid(text: string): string {
  const hex = text
    .toLowerCase()
    .replace(/urn:|uuid:/g, '')
    .replace(/[{}-]/g, '');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The same for what may be no uuid, which stays what it is: nobody has it. */
export const canonicalId = (text: string): string => (FORMATS.uuid.check(text) ? canonicalUuid(text) : text);
