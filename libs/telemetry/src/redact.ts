/**
 * Secrets never reach a log. Two nets: pino's path redaction covers the places where secrets are known to sit, and
 * `redactSecrets` walks a whole value (a request body in a debug line, say) by key name.
 */
export const REDACTED = '[redacted]';

/** Keys whose values are secret wherever they stand, in lower case. */
const SECRET_KEYS = new Set([
  'password',
  'adminpass',
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
]);

/** Paths for pino's own redaction: cheap, so it can be on for every line. */
export const REDACT_PATHS = [...SECRET_KEYS].flatMap((key) => {
  const quoted = `["${key}"]`;
  return [quoted, `*${quoted}`, `*.*${quoted}`];
});
// pino's paths are case-sensitive; the two spellings on the wire that are not all lower case
REDACT_PATHS.push(
  'adminPass',
  '*.adminPass',
  '*.*.adminPass',
  '["X-Auth-Token"]',
  '*["X-Auth-Token"]',
  '*.*["X-Auth-Token"]',
);

export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase());
}

/** A copy of `value` with every secret replaced; strings keep their place, cycles are cut. */
export function redactSecrets(value: unknown, seen: Set<object> = new Set()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return '[circular]';
  seen.add(value);
  const copy = Array.isArray(value)
    ? value.map((v) => redactSecrets(v, seen))
    : Object.fromEntries(
        Object.entries(value).map(([k, v]) => [k, isSecretKey(k) && isScalar(v) ? REDACTED : redactSecrets(v, seen)]),
      );
  seen.delete(value);
  return copy;
}

/** Objects under a secret-sounding key are walked, not hidden whole: `{token: {expires_at}}` stays readable. */
function isScalar(v: unknown): boolean {
  return typeof v === 'string' || typeof v === 'number';
}
