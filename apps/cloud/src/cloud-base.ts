import { loadServiceConfig, type Constructor, type DeepPartial } from '@fractus/config';
import type { Database } from '@fractus/database';
import { createLogger, createMetrics, type Logger, type LogLevel, type RunningService } from '@fractus/telemetry';
import type { CloudPlan } from './plan';

/** What every service of the cloud is given, and the list of what has to be stopped, in the order it was started. */
export class CloudBase {
  readonly metrics = createMetrics({ process: true });
  readonly services: RunningService[] = [];
  private readonly loggers: Logger[] = [];
  private readonly stops: (() => Promise<void>)[] = [];

  constructor(private readonly plan: CloudPlan) {}

  logger(service: string): Logger {
    const { logFile, logLevel } = this.plan;
    const logger = createLogger({
      service,
      level: logFile ? logLevel : 'silent',
      ...(logFile ? { destination: logFile } : {}),
    });
    this.loggers.push(logger);
    return logger;
  }

  /** Level of every service's log; setting it holds until the process ends. */
  readonly logLevel = {
    get: (): string => this.loggers[0]?.level ?? 'silent',
    set: (level: LogLevel): void => this.loggers.forEach((logger) => (logger.level = level)),
  };

  databaseUrl(name: string): string {
    return `sqlite:${this.plan.file('databases', `${name}.db`)}`;
  }

  /** The service's options; `fixed` is what the plan itself decides, `changed` what a test asks for. */
  config<T extends object>(
    type: Constructor<T>,
    service: string,
    fixed: NoInfer<DeepPartial<T>>,
    changed?: NoInfer<DeepPartial<T>>,
  ): Readonly<T> {
    return loadServiceConfig(type, service, this.plan.env ?? {}, { ...fixed, ...changed } as DeepPartial<T>);
  }

  keep<S extends RunningService>(service: S): S {
    this.services.push(service);
    this.stops.push(() => service.close());
    return service;
  }

  keepDatabase(database: Database): Database {
    this.closeLater(() => database.close());
    return database;
  }

  closeLater(stop: () => Promise<void>): void {
    this.stops.push(stop);
  }

  /** Stops everything, the last started first. Once. */
  async close(): Promise<void> {
    for (let stop = this.stops.pop(); stop; stop = this.stops.pop()) await stop();
  }
}
