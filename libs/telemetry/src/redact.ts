/**
 * Secrets never reach a log: every record is walked and what stands under a secret key is replaced. (pino's own
 * redaction wants a path for every depth and cost 250 µs a line with these keys; this walk costs under one.)
 */
export const REDACTED = '[redacted]';

/** Keys whose values are secret wherever they stand, in lower case. */
const SECRET_KEYS = new Set([
  'password',
  'adminpass',
  'adminpassword',
  'admin_pass',
  'original_password',
  'new_password',
  'secret',
  'client_secret',
  'private_key',
  'privatekey',
  'token',
  'auth_token',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-auth-token',
  'x-subject-token',
  'x-service-token',
  'x-storage-token',
  'x-instance-id-signature',
  'user_data',
  'userdata',
]);

/** For the logger's bound fields, which it serialises once and does not show to the walk. */
export const SECRET_SERIALIZERS = Object.fromEntries(
  [...SECRET_KEYS, 'adminPass', 'adminPassword', 'userData', 'X-Auth-Token', 'X-Subject-Token', 'Authorization'].map(
    (key) => [key, hideScalar],
  ),
);

function hideScalar(value: unknown): unknown {
  return isScalar(value) ? REDACTED : redactSecrets(value);
}

export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase());
}

/**
 * `value` with every secret replaced. What holds no secret is returned as it is, without a copy: this runs for every
 * log line. Only plain objects and arrays are walked; an Error is left to the logger's own serializer.
 */
export function redactSecrets<T>(value: T): T {
  return walk(value, 0) as T;
}

/** Deeper than any of our records; also what ends a cycle. */
const MAX_DEPTH = 12;

function walk(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return walkArray(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? walkRecord(value as Record<string, unknown>, depth)
    : value;
}

function walkArray(list: unknown[], depth: number): unknown[] {
  let copy: unknown[] | undefined;
  list.forEach((v, i) => {
    const clean = walk(v, depth + 1);
    if (clean !== v) (copy ??= [...list])[i] = clean;
  });
  return copy ?? list;
}

function walkRecord(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const value = record[key];
    // objects under a secret-sounding key are walked, not hidden whole: `{token: {expires_at}}` stays readable
    const hide = isScalar(value) && isSecretKey(key);
    const clean = hide ? REDACTED : walk(value, depth + 1);
    if (clean !== value) (copy ??= { ...record })[key] = clean;
  }
  return copy ?? record;
}

function isScalar(v: unknown): boolean {
  return typeof v === 'string' || typeof v === 'number';
}
