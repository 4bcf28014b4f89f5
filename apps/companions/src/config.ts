import { IsObject, IsOptional, IsString, MinLength } from 'class-validator';
import { Option, Section } from '@fractus/config';
import { IdentityConfig } from './identity/identity.config';
import { ImageConfig } from './image/image.config';
import { NetworkConfig } from './network/network.config';

/** What identity's first records are made from. */
export class BootstrapConfig {
  @Option({
    optional: true,
    secret: true,
    describe: 'Password of the first administrator; without it no records are made.',
  })
  @IsOptional()
  @IsString()
  @MinLength(1)
  adminPassword?: string;

  @Option({ default: {}, secret: true, describe: 'Service users and their passwords, JSON: {"nova": "…"}.' })
  @IsObject()
  serviceUsers: Record<string, string>;

  @Option({ default: {}, describe: 'Endpoint URLs by service type, JSON: {"compute": "http://…/v2.1"}.' })
  @IsObject()
  endpoints: Record<string, string>;

  @Option({ default: 'RegionOne', describe: 'Region of the endpoints.' })
  @IsString()
  @MinLength(1)
  region: string;
}

/** As whom the image and network services ask identity. */
export class CallerConfig {
  @Option({ default: 'http://127.0.0.1:5000/v3', describe: "Identity's URL." })
  @IsString()
  authUrl: string;

  @Option({ describe: 'Name of the service user.' })
  @IsString()
  @MinLength(1)
  username: string;

  @Option({ secret: true, describe: 'Password of the service user.' })
  @IsString()
  @MinLength(1)
  password: string;

  @Option({ default: 'service', describe: 'Project of the service user.' })
  @IsString()
  projectName: string;
}

/** Identity as a process of its own. */
export class IdentityProcessConfig extends IdentityConfig {
  @Section(() => BootstrapConfig) bootstrap: BootstrapConfig;
}

/** The image service as a process of its own. */
export class ImageProcessConfig extends ImageConfig {
  @Section(() => CallerConfig) caller: CallerConfig;
}

/** The network service as a process of its own. */
export class NetworkProcessConfig extends NetworkConfig {
  @Section(() => CallerConfig) caller: CallerConfig;
}
