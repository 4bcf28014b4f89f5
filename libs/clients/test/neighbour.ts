/** A scripted neighbour on a free port: the true edge of these clients is the wire. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
export type Reply =
  { status: number; json?: unknown; text?: string; headers?: Record<string, string> } | 'hang' | 'reset';

export class Neighbour {
  readonly seen: Seen[] = [];
  private server: Server;
  /** Answers in order; the last one is for all that follow. */
  replies: ((seen: Seen) => Reply)[] = [];

  static async start(): Promise<Neighbour> {
    const neighbour = new Neighbour();
    neighbour.server = createServer((request, response) => void neighbour.answer(request, response));
    await new Promise<void>((resolve) => neighbour.server.listen(0, '127.0.0.1', resolve));
    return neighbour;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests by method and path: `GET /v2/images/x`. */
  calls(): string[] {
    return this.seen.map((s) => `${s.method} ${s.path}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    this.seen.push(seen);
    const next = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
    const reply = next?.(seen) ?? { status: 404 };
    if (reply === 'hang') return;
    if (reply === 'reset') return void request.socket.destroy();
    const body = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
    response.writeHead(reply.status, {
      'content-type': reply.text === undefined ? 'application/json' : 'text/html',
      ...reply.headers,
    });
    response.end(body);
  }
}

/** A token answer with a catalog that points at `url`. */
export function tokenReply(id: string, url: string, more: object = {}): Reply {
  const token = {
    user: { id: 'u1', name: 'nova', domain: { id: 'default' } },
    project: { id: 'p1', name: 'service', domain: { id: 'default' } },
    roles: [{ id: 'r1', name: 'service' }],
    methods: ['password'],
    audit_ids: [`audit-${id}`],
    issued_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    catalog: ['image', 'network', 'identity'].map((type) => ({
      type,
      name: type,
      endpoints: [{ interface: 'public', region: 'R', url }],
    })),
    ...more,
  };
  return { status: 201, json: { token }, headers: { 'x-subject-token': id } };
}
