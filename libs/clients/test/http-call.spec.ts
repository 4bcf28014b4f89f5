import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { httpCall, type HttpAnswer, type HttpCall } from '../src/http-call';

describe('an HTTP exchange', () => {
  let server: Server;
  let sockets: Socket[];
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  beforeEach(async () => {
    sockets = [];
    server = createServer((request, response) => handle(request, response));
    server.on('connection', (socket: Socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = (more: Partial<HttpCall> = {}): Promise<HttpAnswer> => {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x?y=1`);
    return httpCall({ method: 'GET', url, headers: {}, timeoutMs: 5_000, ...more });
  };
  const echo = (request: IncomingMessage, response: ServerResponse): void => {
    void buffer(request).then((body) => response.end(body));
  };

  it('after another uses its connection', async () => {
    handle = (_request, response) => response.end('ü');
    for (let i = 0; i < 3; i++) expect(await (await ask()).text()).toBe('ü');
    expect(sockets).toHaveLength(1);
  });

  it('gives up a connection before its server does', async () => {
    server.keepAliveTimeout = 2_000;
    handle = (_request, response) => response.end('x');
    await (await ask()).text();
    const socket = sockets[0]!;
    let byClient = false;
    socket.once('end', () => (byClient = true));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(byClient).toBe(true);
    expect(await (await ask()).text()).toBe('x');
  });

  it('tells status and headers, and follows no redirect', async () => {
    handle = (_request, response) => {
      response.setHeader('x-one', ['a', 'b']);
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    const answer = await ask();
    expect([answer.status, answer.header('Location'), answer.header('X-One'), answer.header('x-two')]).toEqual([302, '/elsewhere', 'a, b', null]); // prettier-ignore
    expect(await answer.text()).toBe('');
  });

  it('sends text, bytes and streams, and hands over a stream', async () => {
    handle = echo;
    expect(await (await ask({ method: 'POST', body: '{"a":"ü"}' })).text()).toBe('{"a":"ü"}');
    const bytes = Buffer.alloc(300_000, 7);
    expect((await buffer((await ask({ method: 'PUT', body: bytes })).stream())).equals(bytes)).toBe(true);
    const body = Readable.from([Buffer.from('one '), Buffer.from('two')]);
    expect(await (await ask({ method: 'PUT', body })).text()).toBe('one two');
  });

  it('fails with the source of its body', async () => {
    handle = echo;
    const body = new Readable({ read: () => body.destroy(new Error('no more')) });
    await expect(ask({ method: 'PUT', body })).rejects.toThrow('no more');
  });

  it('is answered though the server does not want the rest of the body', async () => {
    handle = (_request, response) => response.writeHead(413, { connection: 'close' }).end('too much');
    const body = new Readable({ read: () => void body.push(Buffer.alloc(65_536)) });
    const answer = await ask({ method: 'PUT', body });
    expect([answer.status, await answer.text()]).toEqual([413, 'too much']);
    body.destroy();
  });

  it('takes no longer than it may, whether the answer does not come or does not end', async () => {
    handle = () => undefined;
    await expect(ask({ timeoutMs: 20 })).rejects.toMatchObject({ name: 'TimeoutError' });
    handle = (_request, response) => void response.write('half');
    const answer = await ask({ timeoutMs: 60 });
    await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails where the connection breaks in the midst of the answer', async () => {
    handle = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => request.socket.destroy());
    };
    await expect(ask().then((answer) => answer.text())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
