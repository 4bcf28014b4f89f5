import { IsBoolean, IsInt, IsOptional, IsString, IsUrl, Max, Min } from 'class-validator';
import { CallerConfig, PlacementAtConfig } from '@fractus/clients';
import { Option, Section } from '@fractus/config';
import { DatabaseConfig } from '@fractus/database';
import { ProcessConfig } from '@fractus/process';
import { RpcConfig } from '@fractus/rpc';

/** Limits where neither the project nor the default class sets one; -1 is unlimited. Upstream's defaults. */
export class QuotaConfig {
  @Option({ default: 10, describe: 'Servers a project may have.' })
  @IsInt()
  @Min(-1)
  instances: number;

  @Option({ default: 20, describe: 'Virtual CPUs a project may have.' })
  @IsInt()
  @Min(-1)
  cores: number;

  @Option({ default: 51_200, describe: 'Memory a project may have, MiB.' })
  @IsInt()
  @Min(-1)
  ram: number;

  @Option({ default: 128, describe: 'Metadata items a server may have.' })
  @IsInt()
  @Min(-1)
  metadataItems: number;

  @Option({ default: 5, describe: 'Files that may be injected at create (before 2.57).' })
  @IsInt()
  @Min(-1)
  injectedFiles: number;

  @Option({ default: 10_240, describe: 'Bytes of an injected file.' })
  @IsInt()
  @Min(-1)
  injectedFileContentBytes: number;

  @Option({ default: 255, describe: 'Bytes of the path of an injected file.' })
  @IsInt()
  @Min(-1)
  injectedFilePathBytes: number;

  @Option({ default: 100, describe: 'Key pairs a user may have.' })
  @IsInt()
  @Min(-1)
  keyPairs: number;

  @Option({ default: 10, describe: 'Server groups a project may have.' })
  @IsInt()
  @Min(-1)
  serverGroups: number;

  @Option({ default: 10, describe: 'Servers a group may have.' })
  @IsInt()
  @Min(-1)
  serverGroupMembers: number;
}

export class ComputeApiConfig {
  @Option({ default: '127.0.0.1', describe: 'Address that the API listens on.' })
  @IsString()
  host: string;

  @Option({ default: 8774, describe: 'Port that the API listens on; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number;

  @Option({
    optional: true,
    describe: 'What links start with, where clients reach the API under another name than they connect to.',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  publicUrl?: string;

  @Option({ default: false, describe: 'Believe X-Forwarded-* headers: only behind a proxy that sets them itself.' })
  @IsBoolean()
  trustForwarded: boolean;

  @Option({ default: 1000, describe: 'Items of a list page at most, and where no limit is asked for.' })
  @IsInt()
  @Min(1)
  maxLimit: number;

  @Option({ default: 114_688, describe: 'Bytes of a request body at most.' })
  @IsInt()
  @Min(1024)
  bodyLimit: number;

  @Option({ optional: true, describe: "Path of the operator's policy.yaml." })
  @IsOptional()
  @IsString()
  policyFile?: string;

  @Option({ default: 'nova', describe: 'Availability zone of hosts that are in no aggregate with a zone.' })
  @IsString()
  defaultZone: string;

  @Option({ default: 'internal', describe: 'Availability zone that services other than compute show.' })
  @IsString()
  internalZone: string;

  @Option({ default: 60, describe: 'Seconds without a sign of life after which a service counts as down.' })
  @IsInt()
  @Min(1)
  serviceDownSeconds: number;

  @Section(() => QuotaConfig)
  quota: QuotaConfig;

  @Section(() => PlacementAtConfig)
  placement: PlacementAtConfig;
}

/** As a process of its own. */
export class ComputeApiProcessConfig extends ComputeApiConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => DatabaseConfig) database: DatabaseConfig;
  @Section(() => RpcConfig) rpc: RpcConfig;
  @Section(() => CallerConfig) caller: CallerConfig;
}
