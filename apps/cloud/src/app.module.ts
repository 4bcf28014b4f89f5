/**
 * The whole cloud in one process: the composition root of the embedded default. Every app is started as it would be in
 * a process of its own; only the providers differ: SQLite files instead of a database server, the in-process transport
 * instead of a broker, and identity's revocations told at once instead of being asked for.
 */
import { type Admin, startAdmin } from '@fractus/process';
import type { ReadyCheck } from '@fractus/telemetry';
import { CloudBase } from './cloud-base';
import { startComputeServices } from './compute-services';
import { startNeighbours } from './neighbours';
import type { CloudPlan, RunningCloud } from './plan';
import { seedCloud, seedOnce } from './seed';

export { parseOptions } from './options';
export { servedPorts, type CloudPlan, type RunningCloud, type SimProfile } from './plan';
export { StateDir, type Secrets } from './state-dir';

/** Starts everything; on any failure stops what had started and throws. */
export async function startCloud(plan: CloudPlan): Promise<RunningCloud> {
  const base = new CloudBase(plan);
  try {
    return await compose(plan, base);
  } catch (e) {
    await base.close();
    throw e;
  }
}

async function compose(plan: CloudPlan, base: CloudBase): Promise<RunningCloud> {
  const neighbours = await startNeighbours(plan, base);
  const compute = await startComputeServices(plan, base, neighbours);
  await seedOnce(plan.file('seeded'), () => seedCloud({ ...neighbours, ...compute }));
  const admin = await adminOf(plan, base);
  return {
    ...(admin ? { adminUrl: admin.url } : {}),
    urls: {
      identity: neighbours.identity.url,
      image: neighbours.image.url,
      network: neighbours.network.url,
      placement: compute.placementUrl,
      compute: compute.computeUrl,
    },
    agent: compute.agent,
    computeDatabase: compute.computeDatabase,
    placementDatabase: compute.placementDatabase,
    ready: () => readiness(base),
    close: () => base.close(),
  };
}

async function adminOf({ adminPort }: CloudPlan, base: CloudBase): Promise<Admin | undefined> {
  if (adminPort === undefined) return undefined;
  const { metrics, logLevel } = base;
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: adminPort,
    metrics,
    logLevel,
    ready: () => readiness(base),
  });
  base.closeLater(() => admin.close());
  return admin;
}

async function readiness({ services }: CloudBase): Promise<ReadyCheck[]> {
  const checks = await Promise.all(
    services.map(async (s) => (await s.ready()).map((c) => ({ ...c, part: `${s.name}: ${c.part}` }))),
  );
  return checks.flat();
}
