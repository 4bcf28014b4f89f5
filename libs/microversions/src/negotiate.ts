import { FractusError, invalid } from '@fractus/objects';
import type { Version } from '@fractus/dto-schema';

/** Headers as Node hands them over: lower-case names. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What one API says about its versions. */
export interface ApiVersions {
  /** The name in `OpenStack-API-Version: <service> 2.1`. */
  readonly service: string;
  readonly min: Version;
  readonly max: Version;
  /** A header of this API alone that carries a bare version; the standard header wins over it. */
  readonly legacyHeader?: string;
  /** How the text of a version is read. */
  readonly dialect: 'nova' | 'placement';
}

const STANDARD = 'openstack-api-version';

/** Nova: no leading zeros, no spaces. */
const NOVA_VERSION = /^([1-9]\d*)\.([1-9]\d*|0)$/;
/** Placement: whatever Python's int() takes on both sides of the first dot. */
const PLACEMENT_VERSION = /^\s*[+-]?(\d+)\s*\.\s*[+-]?(\d+)\s*$/;

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** The text asked for, by the last matching element of the standard header, else of the API's own header. */
export function requestedText(api: ApiVersions, headers: Headers): string | undefined {
  for (const element of joined(headers[STANDARD])?.split(',').reverse() ?? []) {
    const m = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(element);
    if (m?.[1]?.toLowerCase() === api.service) return m[2];
  }
  const own = api.legacyHeader === undefined ? undefined : joined(headers[api.legacyHeader.toLowerCase()]);
  return own?.split(',').at(-1)?.trim();
}

function unparsable(api: ApiVersions, text: string): FractusError {
  const shown = text.slice(0, 100);
  const message =
    api.dialect === 'nova'
      ? `API Version String ${shown} is of invalid format. Must be of format MajorNum.MinorNum.`
      : `Invalid microversion: invalid version string: ${shown}`;
  return invalid(message, { code: 'microversion.format' });
}

function outOfRange(api: ApiVersions, text: string): FractusError {
  const shown = text.slice(0, 100);
  const message =
    api.dialect === 'nova'
      ? `Version ${shown} is not supported by the API. Minimum is ${api.min} and maximum is ${api.max}.`
      : `Invalid microversion: Unacceptable version header: ${shown}`;
  return new FractusError('not_acceptable', message, {
    code: 'microversion.range',
    details: { min_version: api.min, max_version: api.max },
  });
}

/** Whether [major, minor] lies between two versions. Not by `ordinal`: what a client sends has no limit. */
function within(major: number, minor: number, { min, max }: ApiVersions): boolean {
  const [minMajor = 0, minMinor = 0] = min.split('.').map(Number);
  const [maxMajor = 0, maxMinor = 0] = max.split('.').map(Number);
  const notBefore = major > minMajor || (major === minMajor && minor >= minMinor);
  const notAfter = major < maxMajor || (major === maxMajor && minor <= maxMinor);
  return notBefore && notAfter;
}

/**
 * The version that a request asks for: the minimum if it does not say, the maximum for `latest`. Throws `invalid` (400)
 * for a text that is no version and `not_acceptable` (406) for one out of range.
 */
export function negotiate(api: ApiVersions, headers: Headers): Version {
  const text = requestedText(api, headers);
  // an empty value is "not said" to both parsers of upstream when it comes in the standard header
  if (text === undefined || (text === '' && api.dialect === 'placement')) return api.min;
  if (text === 'latest') return api.max;
  const m = (api.dialect === 'nova' ? NOVA_VERSION : PLACEMENT_VERSION).exec(text);
  if (!m) throw unparsable(api, text);
  const [major, minor] = [Number(m[1]), Number(m[2])];
  if (!within(major, minor, api)) throw outOfRange(api, text);
  return `${major}.${minor}`;
}

/** Response headers that say which version was served, and that answers differ by it. */
export function versionHeaders(api: ApiVersions, version: Version): Record<string, string> {
  const standard = 'OpenStack-API-Version';
  return {
    [standard]: `${api.service} ${version}`,
    ...(api.legacyHeader === undefined ? {} : { [api.legacyHeader]: version }),
    vary: api.legacyHeader === undefined ? standard : `${standard}, ${api.legacyHeader}`,
  };
}
