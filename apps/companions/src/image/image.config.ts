import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { Option } from '@fractus/config';

export class ImageConfig {
  @Option({ default: '127.0.0.1', describe: 'Address that the image service listens on.' })
  @IsString()
  host: string;

  @Option({ default: 9292, describe: 'Port that the image service listens on; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65535)
  port: number;

  @Option({
    default: '',
    describe: 'URL under which clients reach the image service, where it differs from the address it listens on.',
  })
  @IsString()
  publicUrl: string;

  @Option({ describe: "The image service's database: sqlite:<file> or mysql://…", secret: true })
  @IsString()
  @MinLength(1)
  databaseUrl: string;

  @Option({ describe: 'Folder of the image data. One process owns it.' })
  @IsString()
  @MinLength(1)
  dataFolder: string;

  @Option({ default: 107_374_182_400, describe: 'Largest image, bytes.' })
  @IsInt()
  @Min(1)
  maxImageSize: number;
}
