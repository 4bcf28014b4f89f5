/**
 * Answers bytes that Node's parser refused before they became a request, in the API's own form, once a connection, and
 * then closes it. Upstream's servers hand such requests to the application, which answers 400.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@fractus/telemetry';
import type { FaultInfo, FaultMapper } from './faults';
import { newRequestId } from './request-ids';

interface ParserError extends Error {
  code?: string;
}

export interface ClientErrorOptions {
  logger: Logger;
  faultMapper: FaultMapper;
  /** Response headers that carry the request id. */
  requestIdHeaders: readonly string[];
}

/** How long a client that is still sending may go on, so that its answer is not lost in a reset connection. */
const LINGER_MS = 2000;

/** What each of the parser's codes is told as; every other one is plain 400. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of the chunks of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_INVALID_CONTENT_LENGTH: [400, 'content-length header must be an integer'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [
    400,
    'content-length and transfer-encoding exclude each other, and each may be sent once',
  ],
  HPE_INVALID_TRANSFER_ENCODING: [400, 'transfer-encoding header must end in chunked'],
  HPE_INVALID_CHUNK_SIZE: [400, 'A chunk of the body has no valid size.'],
  HPE_INVALID_METHOD: [400, 'The request line names no method of HTTP.'],
  HPE_INVALID_URL: [400, 'The request path is not a valid URL.'],
  HPE_INVALID_VERSION: [400, 'The request line must end in HTTP/1.1 or HTTP/1.0.'],
  HPE_INVALID_CONSTANT: [400, 'The request line must end in HTTP/1.1 or HTTP/1.0.'],
  HPE_INVALID_HEADER_TOKEN: [400, 'A header is not of the form name: value.'],
  HPE_INVALID_EOF_STATE: [400, 'The request ended before it was whole.'],
};

/** The handler of the server's `clientError`. */
export function clientErrorHandler(options: ClientErrorOptions): (error: ParserError, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  const answer = (error: ParserError, socket: Socket): void => {
    if (answered.has(socket)) return; // what a refused client goes on to send is dropped
    // a reset connection, or one that is closing, has nobody to talk to
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
    const current = responseOn(socket);
    if (current?.req.complete) {
      // the request before these bytes is still being served: its answer goes first
      current.once('close', () => answer(error, socket));
      return;
    }
    // half an answer is out: the only honest end is a broken connection
    if (current?.headersSent) return void socket.destroy();
    answered.add(socket);
    refuse(error.code ?? '', socket, options);
  };
  return answer;
}

function refuse(code: string, socket: Socket, { faultMapper, logger, requestIdHeaders }: ClientErrorOptions): void {
  const [status, message] = REFUSALS[code] ?? [400, 'The request is not valid HTTP.'];
  const requestId = newRequestId();
  const fault: FaultInfo = { kind: 'invalid', code: 'http.malformed', status, message, requestId };
  const shaped = faultMapper(fault, null);
  const body = typeof shaped.body === 'string' ? shaped.body : JSON.stringify(shaped.body ?? {});
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    `Content-Type: ${shaped.contentType ?? 'application/json'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...requestIdHeaders.map((name) => `${name}: ${requestId}`),
    ...Object.entries(shaped.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  logger.info({ request_id: requestId, status, code, remote: socket.remoteAddress }, 'bytes that are no request');
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  cut.unref();
  socket.once('close', () => clearTimeout(cut));
}

/** The response being written on a connection. Node keeps it in a field without a public name; without it there is none. */
function responseOn(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
