import { IsArray, IsOptional, IsString, Matches } from 'class-validator';
import { Option, Section } from '@fractus/config';
import { OptionalRpcConfig } from '@fractus/rpc';

const URL_RULE = /^(mysql:\/\/|sqlite:)./;
const wrong = (name: string) => ({ message: `${name} must begin with mysql:// or sqlite:` });

/** Where operators' tools find a cloud whose folder is not at hand: the same variables that its processes have. */
export class OperatorConfig {
  @Option({ env: 'DATABASE_URL', secret: true, optional: true, describe: "Compute's database." })
  @IsOptional()
  @Matches(URL_RULE, wrong('the URL of the compute database'))
  computeUrl?: string;

  @Option({ env: 'PLACEMENT_DATABASE_URL', secret: true, optional: true, describe: "Placement's database." })
  @IsOptional()
  @Matches(URL_RULE, wrong('the URL of the placement database'))
  placementUrl?: string;

  @Option({ env: 'IDENTITY_DATABASE_URL', secret: true, optional: true, describe: "Identity's database." })
  @IsOptional()
  @Matches(URL_RULE, wrong('the URL of the identity database'))
  identityUrl?: string;

  @Option({ env: 'IMAGE_DATABASE_URL', secret: true, optional: true, describe: "Image's database." })
  @IsOptional()
  @Matches(URL_RULE, wrong('the URL of the image database'))
  imageUrl?: string;

  @Option({ env: 'NETWORK_DATABASE_URL', secret: true, optional: true, describe: "Network's database." })
  @IsOptional()
  @Matches(URL_RULE, wrong('the URL of the network database'))
  networkUrl?: string;

  @Option({ default: [], describe: 'Admin listeners of processes, as conductor-1=http://127.0.0.1:9101.' })
  @IsArray()
  @IsString({ each: true })
  @Matches(/^[^=\s]+=https?:\/\/\S+$/, { each: true, message: 'each of adminUrls must be NAME=http://host:port' })
  adminUrls: string[];

  @Section(() => OptionalRpcConfig) rpc: OptionalRpcConfig;
}
