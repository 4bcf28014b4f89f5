import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { Option } from '@fractus/config';

export class IdentityConfig {
  @Option({ default: '127.0.0.1', describe: 'Address that identity listens on.' })
  @IsString()
  host: string;

  @Option({ default: 5000, describe: 'Port that identity listens on; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port: number;

  @Option({
    default: '',
    describe: 'URL under which clients reach identity, where it differs from the address it listens on.',
  })
  @IsString()
  publicUrl: string;

  @Option({ describe: "Identity's database: sqlite:<file> or mysql://…", secret: true })
  @IsString()
  @MinLength(1)
  databaseUrl: string;

  @Option({
    describe: 'File of the keys that seal tokens, one base64 key a line, the first for new tokens. Made where missing.',
  })
  @IsString()
  @MinLength(1)
  tokenKeyFile: string;

  @Option({ default: 86_400, describe: 'How long a token lives, seconds.' })
  @IsInt()
  @Min(1)
  tokenLifetime: number;

  @Option({ default: 15, describe: 'Cost of password hashing: log2 of N of scrypt. 15 takes 32 MiB and about 0.1 s.' })
  @IsInt()
  @Min(1)
  @Max(20)
  passwordCost: number;
}
