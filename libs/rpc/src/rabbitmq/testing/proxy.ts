import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that can fall silent: its connections stay open and carry nothing, as behind a firewall that forgot them. */
export class SilentProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private pairs: [Socket, Socket][] = [];

  constructor(private readonly target: URL) {
    this.server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      this.pairs.push([near, far]);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
  }

  /** The target's URL through the proxy. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const url = new URL(this.target.href);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** The present connections carry nothing more; new ones do. */
  silence(): void {
    for (const [near, far] of this.pairs.splice(0)) {
      near.unpipe(far);
      far.unpipe(near);
      for (const socket of [near, far]) socket.resume(); // swallows what comes
    }
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
