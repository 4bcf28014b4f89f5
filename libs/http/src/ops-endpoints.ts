import type { FastifyInstance } from 'fastify';
import type { Metrics, ReadyCheck } from '@fractus/telemetry';

export const OPS_PATHS = ['/healthz', '/readyz', '/metrics'] as const;

/** `/healthz`: the process serves. `/readyz`: its parts do too (503 and which, where not). `/metrics`: Prometheus text. */
export function installOpsEndpoints(
  fastify: FastifyInstance,
  metrics: Metrics,
  ready: () => Promise<ReadyCheck[]>,
): void {
  fastify.get('/healthz', (_request, reply) => {
    void reply.send({ ok: true });
  });
  fastify.get('/readyz', async (_request, reply) => {
    const checks = await ready().catch((e: unknown): ReadyCheck[] => [
      { part: 'ready', ok: false, why: e instanceof Error ? e.message : String(e) },
    ]);
    const ok = checks.every((c) => c.ok);
    return reply.code(ok ? 200 : 503).send({ ok, checks });
  });
  fastify.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await metrics.render();
    return reply.type(contentType).send(body);
  });
}
