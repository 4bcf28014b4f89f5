import { createServer, type AddressInfo, type Server } from 'node:net';

/** Ports of loopback that are free now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const listen = (): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer();
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((s) => (s.address() as AddressInfo).port);
  await Promise.all(servers.map((s) => new Promise((resolve) => s.close(resolve))));
  return ports;
}

/** How far each service's well-known port is from the base. */
export const PORT_OFFSETS = { identity: 0, compute: 3774, placement: 3778, image: 4292, network: 4696 } as const;

/** A base at which every service's port is free right now. */
export async function freePortBase(): Promise<number> {
  for (let base = 11_000 + (process.pid % 400) * 40; base < 28_000; base += 100) {
    const states = await Promise.all(Object.values(PORT_OFFSETS).map((offset) => isFree(base + offset)));
    if (states.every(Boolean)) return base;
  }
  throw new Error('no free range of ports found');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(true)));
  });
}
