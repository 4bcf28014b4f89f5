import type { ScheduleRequest } from './types';

type Asked = Pick<ScheduleRequest, 'flavor' | 'image'>;

/** `hw:key` of the flavor, else `hw_key` of the image. That they do not conflict is checked where the server is created. */
export function flavorOrImage(request: Asked, key: string, prefix = 'hw'): string | undefined {
  return request.flavor.extraSpecs[`${prefix}:${key}`] ?? request.image?.properties[`${prefix}_${key}`];
}

export function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(1|t|true|on|y|yes)$/i.test(text.trim());
}

export const asksFor = (request: Asked, key: string): boolean => isTrue(flavorOrImage(request, key));

/** Traits that the image requires: properties `trait:X = required`. */
export function imageTraits(request: Pick<ScheduleRequest, 'image'>): string[] {
  return Object.entries(request.image?.properties ?? {})
    .filter(([key, value]) => key.startsWith('trait:') && value === 'required')
    .map(([key]) => key.slice('trait:'.length));
}
