import { IsInt, Matches, Max, Min } from 'class-validator';
import { Option } from '@fractus/config';

/** How a process of its own reaches its database. */
export class DatabaseConfig {
  @Option({
    env: 'DATABASE_URL',
    secret: true,
    describe:
      'The database: mysql://user:password@host:port/name, with ?tls=verify&ca=/path for TLS; or sqlite:/path/file.db.',
  })
  @Matches(/^(mysql:\/\/|sqlite:)./, { message: 'url must begin with mysql:// or sqlite:' })
  url: string;

  @Option({ env: 'DATABASE_POOL_SIZE', default: 10, describe: 'Connections of this process at most (MySQL, MariaDB).' })
  @IsInt()
  @Min(1)
  @Max(1000)
  poolSize: number;
}
