import { readFileSync } from 'node:fs';
import { ArrayNotEmpty, IsArray, IsInt, IsOptional, IsString, Matches, Max, Min, MinLength } from 'class-validator';
import { Option } from '@fractus/config';
import { invalid } from '@fractus/objects';
import { createRabbitTransport, type RabbitTransport } from './rabbitmq';
import type { RpcLogger } from './transport';

const URLS =
  'The brokers of one cluster: amqp://user:password@host:port/vhost, or amqps://…; one that answers is used.';

/** Beside its address, how a process reaches the broker. */
export class BrokerConfig {
  @Option({ optional: true, describe: 'User at the broker, over that of the URLs. Each agent should have its own.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  user?: string;

  @Option({ optional: true, secret: true, describe: 'Password of that user.' })
  @IsOptional()
  @IsString()
  password?: string;

  @Option({
    optional: true,
    describe: "amqps: PEM file of the authorities that the broker's certificate is checked by.",
  })
  @IsOptional()
  @IsString()
  caFile?: string;

  @Option({ optional: true, describe: 'amqps: PEM file of our own certificate, where the broker asks for one.' })
  @IsOptional()
  @IsString()
  certFile?: string;

  @Option({ optional: true, describe: "amqps: PEM file of that certificate's key." })
  @IsOptional()
  @IsString()
  keyFile?: string;

  @Option({ default: 'fractus', describe: 'What all exchanges and queues are named after; the same in every process.' })
  @Matches(/^[A-Za-z0-9_-]{1,40}$/, { message: 'prefix must be 1 to 40 letters, digits, _ or -' })
  prefix: string;

  @Option({ default: 10, describe: 'Seconds between heartbeats; a broker silent for twice as long is given up.' })
  @IsInt()
  @Min(1)
  @Max(600)
  heartbeatSeconds: number;

  @Option({ default: [], describe: 'Users that may send again what others sent first (operators with tools/tasks).' })
  @IsArray()
  @IsString({ each: true })
  trustedUsers: string[];
}

/** How a process reaches the broker. */
export class RpcConfig extends BrokerConfig {
  @Option({ secret: true, describe: URLS })
  @IsArray()
  @ArrayNotEmpty()
  @IsBrokerUrl()
  urls: string[];
}

/** The same for a service that can do without RPC. */
export class OptionalRpcConfig extends BrokerConfig {
  @Option({ secret: true, optional: true, describe: `${URLS} Absent: no RPC is served.` })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsBrokerUrl()
  urls?: string[];
}

function IsBrokerUrl(): PropertyDecorator {
  return Matches(/^amqps?:\/\/[^/]/, {
    each: true,
    message: 'each of urls must begin with amqp:// or amqps:// and a host',
  });
}

/**
 * The transport that a config describes. Resolves when the broker has answered; rejects with `unavailable` while it
 * cannot be reached, `invalid` when a certificate's file cannot be read, with what it refused otherwise.
 * `patienceMs`: as in RabbitOptions.
 */
export async function openRpc(
  config: Readonly<BrokerConfig & { urls: string[] }>,
  { name, logger, patienceMs }: { name: string; logger: RpcLogger; patienceMs?: number },
): Promise<RabbitTransport> {
  const { urls, user, password, prefix, heartbeatSeconds, trustedUsers } = config;
  const transport = createRabbitTransport({
    urls,
    name,
    logger,
    prefix,
    heartbeatSeconds,
    trustedUsers,
    tls: tlsOf(config),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
  });
  try {
    await transport.ready();
    return transport;
  } catch (e) {
    await transport.close();
    throw e;
  }
}

/** `invalid` `config.rpc_file` for a file that cannot be read: that is no broker to wait for. */
function tlsOf(files: Readonly<BrokerConfig>): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const read = (name: 'ca' | 'cert' | 'key'): object => {
    const path = files[`${name}File`];
    if (path === undefined) return {};
    try {
      return { [name]: readFileSync(path) };
    } catch (e) {
      const why = (e as NodeJS.ErrnoException).code ?? 'error';
      throw invalid(`rpc.${name}File: cannot read ${path}: ${why}`, { code: 'config.rpc_file', cause: e });
    }
  };
  return { ...read('ca'), ...read('cert'), ...read('key') };
}
