import { IsObject, IsOptional, IsString, MinLength } from 'class-validator';
import { Option } from '@fractus/config';

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

  @Option({ env: 'SERVICE_USERNAME', describe: 'Name of the service user.' })
  @IsString()
  @MinLength(1)
  username: string;

  @Option({ env: 'SERVICE_PASSWORD', secret: true, describe: 'Password of the service user.' })
  @IsString()
  @MinLength(1)
  password: string;

  @Option({ env: 'SERVICE_PROJECT', default: 'service', describe: 'Project of the service user.' })
  @IsString()
  projectName: string;
}
