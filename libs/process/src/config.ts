import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Option } from '@fractus/config';
import { LOG_LEVELS, type LogLevel } from '@fractus/telemetry';

/** What every process of its own has, beside its service's own options; the section `process` of its config. */
export class ProcessConfig {
  @Option({ env: 'LOG_LEVEL', default: 'info', describe: 'Least level of log lines; can be changed while it runs.' })
  @IsIn(LOG_LEVELS)
  logLevel: LogLevel;

  @Option({
    env: 'STOP_SECONDS',
    default: 30,
    describe: 'Seconds that work under way gets to end when the process is told to stop.',
  })
  @IsInt()
  @Min(1)
  stopSeconds: number;

  @Option({
    env: 'ADMIN_HOST',
    default: '127.0.0.1',
    describe: 'Address of the admin listener. It asks for no token: keep it private.',
  })
  @IsString()
  adminHost: string;

  @Option({
    env: 'ADMIN_PORT',
    optional: true,
    describe: 'Port of the admin listener (health, readiness, metrics, log level); 0 takes a free one, absent: none.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(65_535)
  adminPort?: number;
}
