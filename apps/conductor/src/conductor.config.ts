import { CallerConfig, PlacementAtConfig } from '@fractus/clients';
import { Option, Section } from '@fractus/config';
import { DatabaseConfig } from '@fractus/database';
import { ProcessConfig } from '@fractus/process';
import { RpcConfig } from '@fractus/rpc';
import { IsInt, Matches, Min } from 'class-validator';

export class ConductorConfig {
  @Option({
    default: 'conductor',
    describe: 'Name of this conductor: stable over restarts, and of no other that runs at the same time.',
  })
  @Matches(/^[^/]{1,200}$/, { message: 'instance must have 1 to 200 characters and no slash' })
  instance: string;

  @Option({ default: 64, describe: 'Tasks run at once by one conductor.' })
  @IsInt()
  @Min(1)
  taskConcurrency: number;

  @Option({ default: 1000, describe: 'Milliseconds between looks for due tasks; hints make most start at once.' })
  @IsInt()
  @Min(10)
  pollMs: number;

  @Option({ default: 30_000, describe: 'Milliseconds that a lease on a task holds; renewed at a third of it.' })
  @IsInt()
  @Min(1000)
  leaseMs: number;

  @Option({ default: 600_000, describe: 'Milliseconds that undoing a failed task may take beyond its own cap.' })
  @IsInt()
  @Min(1000)
  undoCapMs: number;

  @Option({
    default: 300,
    describe: 'Seconds for which a step is repeated while a neighbour, the broker or the database is away.',
  })
  @IsInt()
  @Min(1)
  troubleSeconds: number;

  @Option({ default: 3, describe: 'Hosts that a build is tried on.' })
  @IsInt()
  @Min(1)
  maxBuildAttempts: number;

  @Option({ default: 60, describe: 'Seconds that a guest gets to shut down cleanly when it is stopped.' })
  @IsInt()
  @Min(0)
  shutdownTimeoutSeconds: number;

  @Option({ default: 60, describe: 'Seconds without a heartbeat after which a service counts as down.' })
  @IsInt()
  @Min(1)
  serviceDownSeconds: number;

  @Option({ default: 60, describe: 'Seconds between runs of the reconcilers; 0 switches them off.' })
  @IsInt()
  @Min(0)
  reconcileSeconds: number;

  @Option({ default: 60, describe: 'Seconds for which an orphan must be seen unchanged before it is removed.' })
  @IsInt()
  @Min(1)
  orphanSeconds: number;

  @Option({ default: 86_400, describe: 'Seconds for which the rows of ended tasks are kept.' })
  @IsInt()
  @Min(60)
  keepTasksSeconds: number;

  @Section(() => PlacementAtConfig) placement: PlacementAtConfig;
}

/** As a process of its own. */
export class ConductorProcessConfig extends ConductorConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => DatabaseConfig) database: DatabaseConfig;
  @Section(() => RpcConfig) rpc: RpcConfig;
  @Section(() => CallerConfig) caller: CallerConfig;
}
