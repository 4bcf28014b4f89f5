import { IsIn, IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import { Option } from '@fractus/config';
import type { EndpointInterface } from './service-catalog';
import { ServiceSession } from './service-session';

/** Who the service user is, beside identity's address and the password. */
class ServiceUserConfig {
  @Option({ env: 'USERNAME', default: 'nova', describe: 'Name of the service user.' })
  @IsString()
  @MinLength(1)
  username: string;

  @Option({ env: 'PROJECT_NAME', default: 'service', describe: 'Project of the service user.' })
  @IsString()
  @MinLength(1)
  projectName: string;

  @Option({ env: 'REGION', optional: true, describe: 'Region whose endpoints are used; absent: the first there is.' })
  @IsOptional()
  @IsString()
  region?: string;

  @Option({ env: 'INTERFACE', default: 'internal', describe: 'Which endpoints are used: internal, public or admin.' })
  @IsIn(['internal', 'public', 'admin'])
  interface: EndpointInterface;
}

/** As whom a service, as a process of its own, speaks to identity and through its catalog to the neighbours. */
export class CallerConfig extends ServiceUserConfig {
  @Option({ env: 'AUTH_URL', describe: "Identity's URL, with or without /v3." })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  authUrl: string;

  @Option({ env: 'PASSWORD', secret: true, describe: 'Password of the service user.' })
  @IsString()
  @MinLength(1)
  password: string;
}

/** The same for a service that asks identity only where Placement is elsewhere. */
export class OptionalCallerConfig extends ServiceUserConfig {
  @Option({ env: 'AUTH_URL', optional: true, describe: "Identity's URL; needed where placement.endpoint is set." })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  authUrl?: string;

  @Option({ env: 'PASSWORD', optional: true, secret: true, describe: 'Password of the service user; needed likewise.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  password?: string;
}

/** The session of that user. */
export function callerSession(
  config: Readonly<CallerConfig>,
  options: { assertOutsideTransaction?: (what: string) => void } = {},
): ServiceSession {
  const { authUrl, username, password, projectName, region, interface: side } = config;
  return new ServiceSession({
    authUrl,
    credentials: { username, password, projectName },
    interface: side,
    ...(region === undefined ? {} : { region }),
    ...options,
  });
}
