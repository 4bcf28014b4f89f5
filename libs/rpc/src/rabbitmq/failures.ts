import { FractusError, isFractusError, unavailable } from '@fractus/objects';

/** AMQP reply codes by which a broker says that it will not do what it was asked, however often. */
const REFUSALS: Readonly<Record<number, string>> = {
  402: 'INVALID_PATH',
  403: 'ACCESS_REFUSED',
  404: 'NOT_FOUND',
  405: 'RESOURCE_LOCKED',
  406: 'PRECONDITION_FAILED',
  530: 'NOT_ALLOWED',
};

/** Certificates that do not match; the names are OpenSSL's. */
const BAD_CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET_ISSUER))/;
/** What a broker says that wants a certificate of ours, or another one. */
const OUR_CERTIFICATE = /^ERR_SSL_\w+_ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

/** The code of a refusal: the broker is there and something is set up wrongly. Undefined for an error of the connection. */
export function refusalOf(e: unknown): number | string | undefined {
  const { code, message = '' } = (e ?? {}) as { code?: unknown; message?: string };
  if (typeof code === 'number') return code in REFUSALS ? code : undefined;
  if (typeof code === 'string' && (BAD_CERTIFICATE.test(code) || OUR_CERTIFICATE.test(code))) return code;
  // what is refused during the opening handshake comes as text only, and an unknown virtual host not even as that
  if (message.startsWith('Expected ConnectionOpenOk; got <ConnectionClose')) return 530;
  if (!message.startsWith('Handshake terminated')) return undefined;
  const told = Object.entries(REFUSALS).find(([number, name]) => message.includes(number) || message.includes(name));
  return told && Number(told[0]);
}

/** A refusal as an error that names what the broker said; anything else as "cannot be reached". */
export function brokerError(e: unknown): FractusError {
  if (isFractusError(e)) return e;
  const message = e instanceof Error ? e.message : String(e);
  const refusal = refusalOf(e);
  if (refusal !== undefined) {
    const why = whyRefused(refusal, message);
    return unavailable(`RabbitMQ refuses: ${why}`, { code: 'rpc.setup', details: { refusal }, cause: e });
  }
  return unavailable(`RabbitMQ cannot be reached: ${message}`, { code: 'rpc.connection', retryAfter: 1, cause: e });
}

function whyRefused(refusal: number | string, message: string): string {
  if (refusal === 530) return "NOT_ALLOWED - the virtual host is unknown, or not this user's";
  return OUR_CERTIFICATE.test(String(refusal))
    ? `it does not accept our certificate, or the want of one (${refusal})`
    : message;
}

export const isSetupError = (e: unknown): boolean => isFractusError(e) && e.code === 'rpc.setup';

export const connectionLost = (): FractusError =>
  unavailable('The connection to RabbitMQ was lost', { code: 'rpc.connection', retryAfter: 1 });

export const closed = (): FractusError => unavailable('The RPC transport is closed', { code: 'rpc.closed' });

export const blocked = (): FractusError =>
  unavailable('RabbitMQ takes no messages: it is short of memory or disk', { code: 'rpc.blocked', retryAfter: 5 });

export const busy = (message: string): FractusError => unavailable(message, { code: 'rpc.busy', retryAfter: 1 });
