import type { RunningService } from './running-service';

interface Closable {
  close(): Promise<void>;
}

/** The service, which on `close` also closes, in this order, what was opened for it alone. */
export const owning = <S extends RunningService>(service: S, ...opened: readonly Closable[]): S => ({
  ...service,
  async close() {
    await service.close();
    for (const part of opened) await part.close();
  },
});

/**
 * Makes this process run one service: SIGINT and SIGTERM drain it, then the process ends with 0. A service that cannot
 * start or stop is told in one message on stderr, and the process ends with 1.
 */
export function runService(name: string, start: () => Promise<RunningService>): void {
  const fail = (e: unknown): never => {
    process.stderr.write(`${name}: ${e instanceof Error ? e.message : String(e)}\n`);
    process.exit(1);
  };
  start()
    .then((service) => {
      process.stdout.write(`${service.name} is ready${service.url ? ` on ${service.url}` : ''}\n`);
      let closing: Promise<void> | undefined;
      // a second signal waits with the first: draining must not be cut short by an impatient key
      const stop = (): void => void (closing ??= service.close().then(() => process.exit(0), fail));
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
    })
    .catch(fail);
}
