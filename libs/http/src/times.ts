/** `2026-11-30T18:14:19Z`: most of the APIs. Null stays null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null | undefined): string | null;
export function isoTime(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-30T18:14:19.123000`: the places that print Python's isoformat (services, keypairs, actions, …). */
export function isoTimeMicros(ms: number): string;
export function isoTimeMicros(ms: number | null | undefined): string | null;
export function isoTimeMicros(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : `${new Date(ms).toISOString().slice(0, 23)}000`;
}

/** Epoch milliseconds of an ISO 8601 text; a text without a zone is UTC. NaN where it is no time. */
export function parseTime(text: string): number {
  const hasZone = /(z|[+-]\d{2}(:?\d{2})?)$/i.test(text.replace(/^\d{4}-\d{2}-\d{2}/, ''));
  const iso = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : hasZone ? text : `${text}Z`;
  return Date.parse(
    iso
      .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
      .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
      .replace(/(T.*[+-]\d{2})$/, '$1:00'),
  );
}
