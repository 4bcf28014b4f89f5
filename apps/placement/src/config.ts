import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Option, Section } from '@fractus/config';
import { ProcessConfig } from '@fractus/process';
import { OptionalRpcConfig } from '@fractus/rpc';

export class PlacementAuthConfig {
  @Option({
    default: 'keystone',
    describe: 'How callers are known: keystone (tokens) or noauth2 (the token is user[:project]; loopback only).',
  })
  @IsIn(['keystone', 'noauth2'])
  strategy: 'keystone' | 'noauth2';

  @Option({ env: 'AUTH_URL', optional: true, describe: "Identity's URL, with or without /v3; needed with keystone." })
  @IsOptional()
  @IsString()
  url?: string;
}

export class PlacementPolicyConfig {
  @Option({ optional: true, describe: "The operator's policy.yaml." })
  @IsOptional()
  @IsString()
  file?: string;

  @Option({ default: false, describe: 'Refuse tokens of a scope that the rule does not name.' })
  @IsBoolean()
  enforceScope: boolean;

  @Option({ default: false, describe: 'Leave out the checks that rules had before their present defaults.' })
  @IsBoolean()
  enforceNewDefaults: boolean;
}

export class PlacementConfig {
  @Option({ default: '127.0.0.1', describe: 'Address the API listens on.' })
  @IsString()
  host: string;

  @Option({ default: 8778, describe: 'Port the API listens on; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port: number;

  @Option({
    default: 'sqlite:placement.db',
    describe: 'Database of placement alone: sqlite:/path/file.db or mysql://user:password@host:port/name.',
    secret: true,
  })
  @IsString()
  databaseUrl: string;

  @Option({
    default: 100_000,
    describe: 'Rows of the change log that are kept; a replica further behind reads everything again.',
  })
  @IsInt()
  @Min(1000)
  changeLogKeep: number;

  @Option({
    optional: true,
    describe: 'Origins that browsers may call from (CORS), with commas between; without it no browser may.',
  })
  @IsOptional()
  @IsString()
  allowedOrigin?: string;

  @Section(() => PlacementAuthConfig) auth: PlacementAuthConfig;
  @Section(() => PlacementPolicyConfig) policy: PlacementPolicyConfig;
}

/** As a process of its own. */
export class PlacementProcessConfig extends PlacementConfig {
  @Option({ default: 10, describe: 'Connections to the database at most (MySQL, MariaDB).' })
  @IsInt()
  @Min(1)
  @Max(1000)
  databasePoolSize: number;

  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => OptionalRpcConfig) rpc: OptionalRpcConfig;
}
