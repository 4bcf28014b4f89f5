import type { FlavorPage, FlavorSortKey } from '@fractus/compute-db';
import { toBoolean } from '@fractus/dto-schema';
import { lastOf } from '@fractus/microversions';
import { invalid } from '@fractus/objects';
import type { FlavorListWish, FlavorWish } from '../../app/flavors/flavors';
import { RXTX_MAX, type ListFlavorsQuery, type NewFlavorBody } from './flavors.dto';

/** The body of a create as what is wished for. `invalid` for a factor that is no positive number. */
export function flavorWishOf(body: NewFlavorBody): FlavorWish {
  const rxtxFactor = Number(body.rxtx_factor ?? 1);
  if (!(rxtxFactor > 0 && rxtxFactor <= RXTX_MAX)) {
    throw invalid(`'rxtx_factor' must be a number above 0 and at most ${RXTX_MAX}`, { code: 'flavor.rxtx_factor' });
  }
  return {
    // an empty id is none, as null is; a number is taken as its text
    flavorId: body.id === undefined || body.id === null || body.id === '' || body.id === 0 ? null : String(body.id),
    name: body.name.trim(),
    memoryMb: Number(body.ram),
    vcpus: Number(body.vcpus),
    rootGb: Number(body.disk),
    ephemeralGb: Number(body['OS-FLV-EXT-DATA:ephemeral'] ?? 0),
    swapMb: Number(body.swap ?? 0),
    rxtxFactor,
    isPublic: toBoolean(body['os-flavor-access:is_public']) ?? true,
    description: body.description ?? null,
  };
}

const TRUE = ['1', 't', 'true', 'on', 'y', 'yes'];
const FALSE = ['0', 'f', 'false', 'off', 'n', 'no'];

/** Public ones unless said otherwise; `none` means both. */
function isPublicOf(text: string | undefined): boolean | null {
  if (text === undefined) return true;
  const word = text.trim().toLowerCase();
  if (word === 'none') return null;
  if (TRUE.includes(word)) return true;
  if (FALSE.includes(word)) return false;
  throw invalid(`Invalid is_public filter [${text.slice(0, 100)}]`, { code: 'query.is_public' });
}

function integerOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(text))
    throw invalid(`Invalid ${name} filter [${text.slice(0, 100)}]`, { code: `query.${name}` });
  return Number(text);
}

export function flavorListOf(query: ListFlavorsQuery): FlavorListWish {
  const minMemoryMb = integerOf('minRam', lastOf(query.minRam));
  const minRootGb = integerOf('minDisk', lastOf(query.minDisk));
  const name = lastOf(query.name);
  return {
    isPublic: isPublicOf(lastOf(query.is_public)),
    ...(minMemoryMb === undefined ? {} : { minMemoryMb }),
    ...(minRootGb === undefined ? {} : { minRootGb }),
    ...(name === undefined ? {} : { name }),
  };
}

export function flavorSortOf(query: ListFlavorsQuery): FlavorPage['sort'] {
  const asked = lastOf(query.sort_key) ?? 'flavorid';
  // nothing has a weight here: that order is the order they were made in
  const key = asked === 'vcpu_weight' ? 'id' : (asked as FlavorSortKey);
  return { key, dir: lastOf(query.sort_dir) === 'desc' ? 'desc' : 'asc' };
}
