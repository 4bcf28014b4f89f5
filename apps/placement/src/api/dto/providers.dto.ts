import { IsInt, IsString, MaxLength, MinLength } from 'class-validator';
import { All, Closed, Format, ListOf, Nullable, Optional, Since, Until } from '@fractus/dto-schema';
import { CustomName } from './rules';

const ProviderName = (): PropertyDecorator => All(IsString(), MaxLength(200));

@Closed()
export class PostProvider {
  @ProviderName() name: string;
  @Optional() @Format('uuid') uuid?: string;
  @Since('1.14') @Optional() @Nullable() @Format('uuid') parent_provider_uuid?: string | null;
}

@Closed()
export class PutProvider {
  @ProviderName() name: string;
  @Since('1.14') @Optional() @Nullable() @Format('uuid') parent_provider_uuid?: string | null;
}

@Closed()
export class PutProviderTraits {
  @ListOf([IsString(), MinLength(1), MaxLength(255)]) traits: string[];
  @IsInt() resource_provider_generation: number;
}

/** Before 1.19 the body itself is the list. */
@Closed()
export class PutAggregates {
  @Until('1.18') @ListOf([Format('uuid')], { unique: true }) root?: string[];
  @Since('1.19') @ListOf([Format('uuid')], { unique: true }) aggregates: string[];
  @Since('1.19') @IsInt() resource_provider_generation: number;
}

/** POST /resource_classes, and PUT /resource_classes/{name} before 1.7. */
@Closed()
export class ResourceClassBody {
  @CustomName() name: string;
}
