import { BooleanLike, Closed, InVersions, NumericString, Optional, Since } from '@fractus/dto-schema';
import { IsString } from 'class-validator';
import { Parameter, Parameters } from '@fractus/microversions';
import { HostLikeName } from '../rules';

const Limit = (): PropertyDecorator => NumericString({ min: 0, pattern: '^[0-9]*$', minLength: 1 });

/** 2.33: pages. 2.53: by hostname, with servers; unknown parameters are refused. */
@Closed('2.53-')
export class ListHypervisorsQuery {
  @Since('2.33')
  @Optional()
  @InVersions('2.33-2.52', Parameters(Limit()))
  @InVersions('2.53-', Parameter(Limit()))
  limit?: string[];
  @Since('2.33')
  @Optional()
  @InVersions('2.33-2.52', Parameters(IsString()))
  @InVersions('2.53-', Parameter(IsString()))
  marker?: string[];
  @Since('2.53') @Optional() @Parameter(HostLikeName()) hypervisor_hostname_pattern?: string[];
  @Since('2.53') @Optional() @Parameter(BooleanLike()) with_servers?: string[];
}

@Closed('2.53-')
export class ShowHypervisorQuery {
  @Since('2.53') @Optional() @Parameter(BooleanLike()) with_servers?: string[];
}
