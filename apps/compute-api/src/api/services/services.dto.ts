import { IsIn, IsString, Length } from 'class-validator';
import { BooleanLike, Closed, Optional, Since, Until } from '@fractus/dto-schema';
import { TextParameters } from '@fractus/microversions';
import { HostLikeName } from '../rules';

@Closed('2.75-')
export class ListServicesQuery {
  @Optional() @TextParameters() host?: string[];
  @Optional() @TextParameters() binary?: string[];
}

/** Until 2.52 the body names the service and the path the action; from 2.53 on the path names the service. */
@Closed()
export class UpdateServiceBody {
  @Until('2.52') @HostLikeName() host: string;
  @Until('2.52') @IsString() @Length(1, 255) binary: string;
  @Since('2.53') @Optional() @IsString() @IsIn(['enabled', 'disabled']) status?: 'enabled' | 'disabled';
  @Optional() @IsString() @Length(1, 255) disabled_reason?: string;
  @Since('2.11') @Optional() @BooleanLike() forced_down?: boolean | string;
}
