import { IsObject, IsOptional, IsString, MinLength } from 'class-validator';
import { CallerConfig } from '@fractus/clients';
import { Option, Section } from '@fractus/config';
import { ProcessConfig } from '@fractus/process';
import type { InterfaceUrls } from './identity/bootstrap';
import { IdentityConfig } from './identity/identity.config';
import { ImageConfig } from './image/image.config';
import { NetworkConfig } from './network/network.config';
import { VolumeConfig } from './volume/volume.config';

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

  @Option({
    optional: true,
    secret: true,
    describe: 'Password of the user demo in project demo; without it that user is not made.',
  })
  @IsOptional()
  @IsString()
  @MinLength(1)
  demoPassword?: string;

  @Option({ default: {}, secret: true, describe: 'Service users and their passwords, JSON: {"nova": "…"}.' })
  @IsObject()
  serviceUsers: Record<string, string>;

  @Option({
    default: {},
    describe:
      'Endpoint URLs by service type, JSON: {"compute": "http://…/v2.1"}, or {"compute": {"public": "http://…", "internal": "http://…"}} where services use other URLs than clients.',
  })
  @IsObject()
  endpoints: Record<string, string | InterfaceUrls>;

  @Option({ default: 'RegionOne', describe: 'Region of the endpoints.' })
  @IsString()
  @MinLength(1)
  region: string;
}

/** Identity as a process of its own. */
export class IdentityProcessConfig extends IdentityConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => BootstrapConfig) bootstrap: BootstrapConfig;
}

/** The image service as a process of its own. */
export class ImageProcessConfig extends ImageConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => CallerConfig) caller: CallerConfig;
}

/** The network service as a process of its own. */
export class NetworkProcessConfig extends NetworkConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => CallerConfig) caller: CallerConfig;
}

/** The volume service as a process of its own. */
export class VolumeProcessConfig extends VolumeConfig {
  @Section(() => ProcessConfig) process: ProcessConfig;
  @Section(() => CallerConfig) caller: CallerConfig;
}
