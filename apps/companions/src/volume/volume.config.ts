import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { Option } from '@fractus/config';

export class VolumeConfig {
  @Option({ default: '127.0.0.1', describe: 'Address that the volume service listens on.' })
  @IsString()
  host: string;

  @Option({ default: 8776, describe: 'Port that the volume service listens on; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port: number;

  @Option({
    default: '',
    describe: 'URL under which clients reach the volume service, where it differs from the address it listens on.',
  })
  @IsString()
  publicUrl: string;

  @Option({ describe: "The volume service's database: sqlite:<file> or mysql://…", secret: true })
  @IsString()
  @MinLength(1)
  databaseUrl: string;
}
