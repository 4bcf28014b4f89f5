// What of an answer is held against upstream's, and what is known to differ (docs/compatibility.md).

const HEADERS = ['allow', 'cache-control', 'openstack-api-version', 'location'];

/** Sentences that upstream's framework puts before or after its own, and causes that it tells twice or in its words. */
const SAID_BESIDES = [
  [/^The (server could not|resource could not|request media)[^]*?\. ?\n\n ?/, ''],
  [/^There was a conflict[^]*?\n\n ?/, ''],
  [/Failed validating[^]*/, ''],
  [/The method specified is not allowed for this resource\./, ''],
  [/^The resource could not be found\./, ''],
  [/Object action \w+ failed because: /, ''],
  [/ ?: No resource provider with uuid \S+ found\.?\s*$/, ''],
  [/^Resource provider '(\S+)' not found/, 'No resource provider with uuid $1 found'],
  [/No inventory of class (\S+) found\.\s*$/, 'there is none of $1.'],
  [/^No inventory of class (\S+) found for delete: .*/, 'No inventory of class $1 found for delete'],
  [/The media type \S+ is not supported/, 'The media type is not supported'],
];

const words = (text) =>
  SAID_BESIDES.reduce((told, [pattern, by]) => told.replace(pattern, by), text)
    .replace(/\s+/g, ' ')
    .trim();

/** Lists are sets here: neither side promises an order. */
function plain(value, key) {
  if (Array.isArray(value))
    return value.map((v) => plain(v)).sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
  if (typeof value === 'string') return key === 'detail' ? words(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'request_id');
  return Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)).map(([name, v]) => [name, plain(v, name)]));
}
const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** An answer `{status, headers, body}` of the service at `url` as far as both sides have to agree. */
export function comparable({ method, path, version }, { status, headers, body }, url) {
  const kept = HEADERS.map((name) => [name, headers[name]?.replace(url, '').split(', ').sort().join(', ')]);
  // upstream forgets Allow where a later version brings the method
  if (method === 'DELETE' && path.endsWith('/inventories') && Number(version.split('.')[1]) < 5) kept[0][1] = undefined;
  const error = body?.errors?.[0];
  // upstream tells the code of another fault
  const isInUse =
    method === 'DELETE' &&
    error?.code &&
    /^Unable to delete inventory of class .* in use\.\s*$/s.test(words(error.detail));
  return {
    status,
    headers: Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    lastModified: 'last-modified' in headers,
    body: plain(isInUse ? { errors: [{ ...error, code: 'placement.inventory.inuse' }] } : body),
  };
}
