/** For tests of this library: between it and a server. */
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer, type Server } from 'node:net';
import { parseMysqlUrl } from './mysql-url';

/** A wire to the server that can be cut: at once, or around the next COMMIT (or what `cutAt` names). */
export class Wire {
  readonly sockets = new Set<Socket>();
  cutAt = 'COMMIT';
  /** `before`: the commit never arrives; `after`: it is carried out, and the answer never arrives; `mute`: neither answer nor end. */
  cutCommit: 'no' | 'before' | 'after' | 'mute' = 'no';
  cuts = 0;
  /** Statements since the last `take`, in the order in which they were sent. */
  private said: string[] = [];
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<Wire> {
    const { host, port } = parseMysqlUrl(target);
    let wire: Wire | undefined = undefined;
    const server = createServer((client) => wire?.join(client, connect(port, host)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = Object.assign(new URL(target), { port: String((server.address() as AddressInfo).port) }).href;
    return (wire = new Wire(server, url));
  }

  private join(client: Socket, upstream: Socket): void {
    for (const s of [client, upstream]) {
      this.sockets.add(s);
      s.on('error', () => undefined);
      s.on('close', () => this.sockets.delete(s));
    }
    let answers: 'pass' | 'cut' | 'drop' = 'pass';
    client.on('data', (data: Buffer) => {
      const statements = queriesIn(data);
      this.said.push(...statements);
      if (this.cutCommit !== 'no' && statements.some((s) => s.startsWith(this.cutAt))) {
        const how = this.cutCommit;
        this.cutCommit = 'no';
        this.cuts++;
        if (how === 'before') return void (client.destroy(), upstream.destroy());
        answers = how === 'after' ? 'cut' : 'drop';
      }
      upstream.write(data);
    });
    upstream.on('data', (data: Buffer) => {
      if (answers === 'pass') client.write(data);
      else if (answers === 'cut') void (client.destroy(), upstream.destroy());
    });
    client.on('close', () => void (answers !== 'drop' && upstream.destroy()));
    upstream.on('close', () => client.destroy());
  }

  /** What was sent since this was last asked. */
  take(): string[] {
    return this.said.splice(0);
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }
  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const COM_QUERY = 3;

/** The statements of whole packets; those of a test are short and come whole. */
function queriesIn(data: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 4 < data.length;) {
    const length = data.readUIntLE(at, 3);
    if (data[at + 3] === 0 && data[at + 4] === COM_QUERY) found.push(data.toString('utf8', at + 5, at + 4 + length));
    at += 4 + length;
  }
  return found;
}
