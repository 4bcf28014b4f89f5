import { Length, MaxLength } from 'class-validator';
import { Closed, Format, InVersions, Nested, Nullable, Optional, Pattern, Since } from '@fractus/dto-schema';
import { DiskConfig, HostLikeName, Name } from '../rules';

@Closed()
export class ServerUpdate {
  @Optional() @Name() name?: string;
  @Optional() @DiskConfig() 'OS-DCF:diskConfig'?: 'AUTO' | 'MANUAL';
  @Optional() @Format('ipv4') accessIPv4?: string;
  @Optional() @Format('ipv6') accessIPv6?: string;
  @Optional() @Since('2.19') @Nullable() @Format('printable') @MaxLength(255) description?: string | null;
  @Optional()
  @Since('2.90')
  @InVersions('2.90-2.93', Pattern('^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$'), Length(2, 63))
  @InVersions('2.94-', HostLikeName())
  hostname?: string;
  /** Null unpins the server from its zone. */
  @Optional() @Since('2.104') @Nullable() @Length(1, 255) pinned_availability_zone?: string | null;
}

/** The body of `PUT /servers/{id}`. */
@Closed()
export class UpdateServerDto {
  @Nested(() => ServerUpdate) server: ServerUpdate;
}
