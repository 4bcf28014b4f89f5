import { IsIn, IsNumber, IsString, Length, MaxLength } from 'class-validator';
import {
  All,
  AlsoProperties,
  AnyOf,
  BooleanLike,
  Closed,
  Format,
  InVersions,
  Json,
  MapOf,
  Members,
  Nested,
  Nullable,
  NumericString,
  Optional,
  Pattern,
  Since,
  Until,
} from '@fractus/dto-schema';
import { Parameters } from '@fractus/microversions';
import { LimitParameter, TextParameter } from '../paging-rules';
import { METADATA_KEY, Name } from '../rules';

const INT_MAX = 2_147_483_647;
/** The largest single-precision number, rounded down: what the column once held. */
export const RXTX_MAX = 3.40282e38;

const FlavorDescription = (): PropertyDecorator => All(Nullable(), Format('printable'), MaxLength(65_535));

const SORT_KEYS = [
  'created_at',
  'description',
  'disabled',
  'ephemeral_gb',
  'flavorid',
  'id',
  'is_public',
  'memory_mb',
  'name',
  'root_gb',
  'swap',
  'updated_at',
  'vcpu_weight',
  'vcpus',
];

@Closed('2.75-')
export class ListFlavorsQuery {
  @LimitParameter() limit?: string[];
  @TextParameter() marker?: string[];
  @TextParameter() is_public?: string[];
  @TextParameter() minRam?: string[];
  @TextParameter() minDisk?: string[];
  @Optional()
  @InVersions('-2.101', Parameters(IsString(), IsIn([...SORT_KEYS, 'rxtx_factor'])))
  @InVersions('2.102-', Parameters(IsString(), IsIn(SORT_KEYS)))
  sort_key?: string[];
  @Optional() @Parameters(IsString(), IsIn(['asc', 'desc'])) sort_dir?: string[];
  @Since('2.102') @TextParameter() name?: string[];
}

/** Operations of flavors that know no query parameter at all. */
@Closed('2.102-')
export class NoFlavorQuery {}

@Closed()
export class NewFlavorBody {
  @Name() name: string;
  /** Made up where it is not given. A number is taken as its text. */
  @Optional() @Nullable() @AnyOf(All(Length(1, 255), Pattern('^(?! )[a-zA-Z0-9. _-]+(?<! )$')), IsNumber()) id?:
    string | number | null;
  /** MiB. */
  @NumericString({ min: 1, max: INT_MAX }) ram: number | string;
  @NumericString({ min: 1, max: INT_MAX }) vcpus: number | string;
  /** GiB. */
  @NumericString({ min: 0, max: INT_MAX }) disk: number | string;
  /** GiB. */
  @Optional() @NumericString({ min: 0, max: INT_MAX }) 'OS-FLV-EXT-DATA:ephemeral'?: number | string;
  /** MiB. */
  @Optional() @NumericString({ min: 0, max: INT_MAX }) swap?: number | string;
  @Optional()
  @Until('2.101')
  @Json({
    type: ['number', 'string'],
    pattern: '^[0-9]+(\\.[0-9]+)?(?=\\n?$)',
    exclusiveMinimum: 0,
    maximum: RXTX_MAX,
    'x-numeric-string': { maximum: RXTX_MAX },
  })
  rxtx_factor?: number | string;
  @Optional() @BooleanLike() 'os-flavor-access:is_public'?: boolean | string;
  @Optional() @Since('2.55') @FlavorDescription() description?: string | null;
}

@Closed()
export class CreateFlavorDto {
  @Nested(() => NewFlavorBody) flavor: NewFlavorBody;
}

@Closed()
export class FlavorUpdate {
  @FlavorDescription() description: string | null;
}

@Closed()
export class UpdateFlavorDto {
  @Nested(() => FlavorUpdate) flavor: FlavorUpdate;
}

/** A value of an extra spec: a number is kept as its text. */
const ExtraSpecValue = (): PropertyDecorator => AnyOf(MaxLength(255), IsNumber());

@Closed()
export class CreateExtraSpecsDto {
  @MapOf(ExtraSpecValue(), { key: METADATA_KEY }) extra_specs: Record<string, string | number>;
}

/** One extra spec by its name. */
@AlsoProperties(METADATA_KEY, ExtraSpecValue())
@Members({ min: 1, max: 1 })
@Closed()
export class UpdateExtraSpecDto {
  [name: string]: string | number;
}

@Closed()
export class TenantAccess {
  @Length(1, 255) tenant: string;
}

@Closed()
export class AddTenantAccessDto {
  @Nested(() => TenantAccess) addTenantAccess: TenantAccess;
}

@Closed()
export class RemoveTenantAccessDto {
  @Nested(() => TenantAccess) removeTenantAccess: TenantAccess;
}
