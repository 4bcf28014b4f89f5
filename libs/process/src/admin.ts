/**
 * The admin listener of one process, in plain HTTP and without tokens, for its own machine or a private network:
 *
 * | path             | answer                                                                                 |
 * |------------------|----------------------------------------------------------------------------------------|
 * | `GET /healthz`   | 200 while the process runs                                                             |
 * | `GET /readyz`    | 200, or 503 while it starts or a needed part is down, with `checks: [{part, ok, why}]`  |
 * | `GET /metrics`   | Prometheus text                                                                        |
 * | `GET /contracts` | fingerprint of each RPC method as this process's code has it, for `npm run upgrade-check` |
 * | `GET /log-level` | `{"level": "info"}`                                                                    |
 * | `PUT /log-level` | sets it, until the process ends; 400 names the field and the levels there are          |
 */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { installOpsEndpoints } from '@fractus/http';
import { contractFingerprints } from '@fractus/rpc-contracts';
import { LOG_LEVELS, type LogLevel, type Metrics, type ReadyCheck } from '@fractus/telemetry';

export interface AdminOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly metrics: Metrics;
  ready(): Promise<ReadyCheck[]>;
  readonly logLevel: { get(): string; set(level: LogLevel): void };
}

export interface Admin {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens. Rejects when the address cannot be had. */
export async function startAdmin({ host, port, metrics, ready, logLevel }: AdminOptions): Promise<Admin> {
  const server = fastify({ forceCloseConnections: true, bodyLimit: 1024 });
  installOpsEndpoints(server, metrics, ready);
  server.get('/contracts', async () => contractFingerprints());
  server.get('/log-level', async () => ({ level: logLevel.get() }));
  server.put('/log-level', async (request, reply) => {
    const level = (request.body as { level?: unknown } | null | undefined)?.level;
    if (!isLevel(level)) {
      return reply.code(400).send({ error: `level must be one of ${LOG_LEVELS.join(', ')}`, field: 'level' });
    }
    logLevel.set(level);
    return { level: logLevel.get() };
  });
  await server.listen({ host, port });
  const { port: real } = server.server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${real}`, close: () => server.close() };
}

const isLevel = (level: unknown): level is LogLevel => (LOG_LEVELS as readonly unknown[]).includes(level);
