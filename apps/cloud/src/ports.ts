import { createServer } from 'node:net';

/** Ports that the services of OpenStack are known by. */
export const DEFAULT_PORTS = {
  identity: 5000,
  'console-proxy': 6080,
  compute: 8774,
  metadata: 8775,
  volume: 8776,
  placement: 8778,
  console: 8780,
  share: 8786,
  image: 9292,
  network: 9696,
} as const;
export type PortName = keyof typeof DEFAULT_PORTS;
/** Those that something listens on today. */
export const SERVED = ['identity', 'image', 'network', 'placement', 'compute'] as const satisfies readonly PortName[];
export type ServedName = (typeof SERVED)[number];

export const DEFAULT_PORT_BASE = DEFAULT_PORTS.identity;
export const MIN_PORT_BASE = 1024;
export const MAX_PORT_BASE = 65535 - (DEFAULT_PORTS.network - DEFAULT_PORT_BASE);

/** All ports, moved together so that identity sits at `base`. */
export function portsFrom(base: number): Record<PortName, number> {
  const entries = Object.entries(DEFAULT_PORTS).map(([name, port]) => [name, port - DEFAULT_PORT_BASE + base]);
  return Object.fromEntries(entries) as Record<PortName, number>;
}

/** Whether the port can be listened on right now: `free`, or the system's error code. */
export function probePort(host: string, port: number): Promise<'free' | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (e: NodeJS.ErrnoException) => resolve(e.code ?? e.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('free')));
  });
}

/** The first base, in steps of 10000 from the default's neighbourhood, at which every served port is free. */
export async function findFreeBase(host: string): Promise<number | undefined> {
  for (let base = 15000; base <= MAX_PORT_BASE; base += 10_000) {
    const ports = portsFrom(base);
    const states = await Promise.all(SERVED.map((name) => probePort(host, ports[name])));
    if (states.every((s) => s === 'free')) return base;
  }
  return undefined;
}
