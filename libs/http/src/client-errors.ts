import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FaultInfo, FaultMapper } from './faults';

interface ParserError extends Error {
  code?: string;
}

/** Answers bytes that Node's parser refused (bad request line, Content-Length, header overflow, too slow), then closes. */
export function clientErrorHandler(faultMapper: FaultMapper): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    // a reset connection, or one that already got an answer, has nobody to talk to
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
    const fault = faultFor(error.code ?? '');
    const shaped = faultMapper(fault, null);
    const body = typeof shaped.body === 'string' ? shaped.body : JSON.stringify(shaped.body ?? {});
    const head = [
      `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? 'Error'}`,
      `Content-Type: ${shaped.contentType ?? 'application/json'}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    // a client that goes on sending must not hold the socket
    socket.once('finish', () => socket.destroy());
  };
}

function faultFor(code: string): FaultInfo {
  const base = { kind: 'invalid', code: 'http.malformed', requestId: '' } as const;
  if (code === 'HPE_HEADER_OVERFLOW') return { ...base, status: 431, message: 'The request headers are too large.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { ...base, status: 408, message: 'The request did not arrive in time.' };
  if (code === 'HPE_INVALID_CONTENT_LENGTH')
    return { ...base, status: 400, message: 'content-length header must be an integer' };
  return { ...base, status: 400, message: 'The request is not valid HTTP.' };
}
