/**
 * One service as a process of its own. Options come from the environment and a file, every fault of them ends the
 * process with code 1 before anything is opened; then the parts are opened, which waits for those that cannot be
 * reached; SIGINT and SIGTERM drain the service and end with code 0. What nobody caught is logged and ends the
 * process with code 1: whoever supervises it starts it anew, and its work is taken up from the database.
 */
import { type Constructor, loadServiceConfig } from '@fractus/config';
import {
  type Logger,
  type Metrics,
  type ReadyCheck,
  type RunningService,
  createLogger,
  createMetrics,
} from '@fractus/telemetry';
import { type Admin, startAdmin } from './admin';
import type { ProcessConfig } from './config';
import { untilReachable } from './until-reachable';

interface Closable {
  close(): Promise<void>;
}

/** What a service is started with. */
export interface ServiceProcess<C> {
  readonly config: Readonly<C>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Opens a part, waiting while it cannot be reached, and closes it after the service; the last opened first. */
  open<T extends Closable>(part: string, open: () => T | Promise<T>): Promise<T>;
}

/** Every process's config has this section. */
interface Configured {
  process: ProcessConfig;
}

type Start<C> = (process: ServiceProcess<C>) => Promise<RunningService>;

/** Runs the service `name` for the rest of the process's life. */
export function runProcess<C extends Configured>(name: string, type: Constructor<C>, start: Start<C>): void {
  let config: Readonly<C>;
  try {
    config = loadServiceConfig(type, name, process.env);
  } catch (e) {
    process.stderr.write(`${name}: ${(e as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  const runner = new Runner(name, config, start);
  // a second signal waits with the first: draining must not be cut short by an impatient key
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void runner.stop(0));
  process.on('uncaughtException', (err) => {
    runner.logger.fatal({ err }, 'a fault that nobody caught: the process ends');
    process.exit(1);
  });
  void runner.run();
}

class Runner<C extends Configured> {
  readonly logger: Logger;
  private readonly metrics = createMetrics({ process: true });
  private readonly opened: Closable[] = [];
  private readonly waitingFor = new Map<string, string>();
  private readonly abort = new AbortController();
  private service: RunningService | undefined;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly name: string,
    private readonly config: Readonly<C>,
    private readonly start: Start<C>,
  ) {
    this.logger = createLogger({ service: name, level: config.process.logLevel });
  }

  async run(): Promise<void> {
    try {
      const admin = await this.admin();
      this.service = await this.start({
        config: this.config,
        logger: this.logger,
        metrics: this.metrics,
        open: (part, open) => this.open(part, open),
      });
      if (this.stopping) await this.service.close();
      else this.logger.info({ url: this.service.url, admin: admin?.url, pid: process.pid }, 'ready');
    } catch (err) {
      if (this.stopping) return;
      this.logger.fatal({ err }, `cannot start: ${(err as Error).message}`);
      process.stderr.write(`${this.name}: ${(err as Error).message}\n`);
      await this.stop(1);
    }
  }

  /** Drains, closes what was opened, and ends the process. */
  stop(code: number): Promise<void> {
    return (this.stopping ??= this.drain(code));
  }

  private async drain(code: number): Promise<void> {
    this.abort.abort();
    this.logger.info('stopping');
    const patience = setTimeout(() => {
      this.logger.error('not everything has ended in time; what is unfinished is taken up by the next start');
      process.exit(1);
    }, this.config.process.stopSeconds * 1000);
    try {
      await this.service?.close();
      for (let part = this.opened.pop(); part; part = this.opened.pop()) if (part !== this.service) await part.close();
    } catch (err) {
      this.logger.error({ err }, 'did not stop cleanly');
      code = 1;
    }
    clearTimeout(patience);
    process.exit(code);
  }

  private async open<T extends Closable>(part: string, open: () => T | Promise<T>): Promise<T> {
    const opened = await untilReachable(part, async () => open(), {
      logger: this.logger,
      signal: this.abort.signal,
      waiting: (what, why) => (why === undefined ? this.waitingFor.delete(what) : this.waitingFor.set(what, why)),
    });
    this.opened.push(opened);
    return opened;
  }

  private async admin(): Promise<Admin | undefined> {
    const { adminHost: host, adminPort: port } = this.config.process;
    if (port === undefined) return undefined;
    const admin = await startAdmin({
      host,
      port,
      metrics: this.metrics,
      ready: () => this.ready(),
      logLevel: {
        get: () => this.logger.level,
        set: (level) => {
          this.logger.level = level;
          this.logger.info({ level }, 'log level changed');
        },
      },
    });
    this.opened.push(admin);
    return admin;
  }

  private async ready(): Promise<ReadyCheck[]> {
    if (this.stopping) return [{ part: 'process', ok: false, why: 'it is stopping' }];
    if (this.service) return this.service.ready();
    const waiting = [...this.waitingFor].map(([part, why]): ReadyCheck => ({ part, ok: false, why }));
    return waiting.length > 0 ? waiting : [{ part: 'process', ok: false, why: 'it is starting' }];
  }
}
