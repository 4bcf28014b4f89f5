import { IsString, Length, MaxLength } from 'class-validator';
import { All, Closed, Format, InVersions, Json, ListOf, MapOf, Nested, Nullable, Optional } from '@fractus/dto-schema';
import { HostLikeName, METADATA_KEY, Name } from '../rules';

/** No parameters; until 2.101 whatever comes is dropped. */
@Closed('2.102-')
export class AggregateQuery {}

const ZoneName = (): PropertyDecorator =>
  All(
    Length(1, 255),
    InVersions('-2.0', Format('az_name_with_leading_trailing_spaces')),
    InVersions('2.1-', Format('az_name')),
  );

@Closed()
class NewAggregateBody {
  @Name() name: string;
  @Optional() @Nullable() @ZoneName() availability_zone?: string | null;
}
@Closed()
export class CreateAggregateBody {
  @Nested(() => NewAggregateBody) aggregate: NewAggregateBody;
}

@Closed()
class AggregateChangeBody {
  /** Spaces around the name are forgiven here in every version (as upstream's schema has it). */
  @Optional() @Length(1, 255) @Format('name_with_leading_trailing_spaces') name?: string;
  @Optional() @Nullable() @ZoneName() availability_zone?: string | null;
}
@Closed()
export class UpdateAggregateBody {
  @Nested(() => AggregateChangeBody)
  @Json({ anyOf: [{ required: ['name'] }, { required: ['availability_zone'] }] })
  aggregate: AggregateChangeBody;
}

@Closed()
class HostBody {
  @HostLikeName() host: string;
}
@Closed()
export class AddHostBody {
  @Nested(() => HostBody) add_host: HostBody;
}
@Closed()
export class RemoveHostBody {
  @Nested(() => HostBody) remove_host: HostBody;
}

@Closed()
class MetadataBody {
  @MapOf([Nullable(), IsString(), MaxLength(255)], { key: METADATA_KEY }) metadata: Record<string, string | null>;
}
@Closed()
export class SetMetadataBody {
  @Nested(() => MetadataBody) set_metadata: MetadataBody;
}

@Closed()
class ImageToCache {
  @Format('uuid') id: string;
}
@Closed()
export class CacheImagesBody {
  @ListOf(() => ImageToCache, { min: 1 }) cache: ImageToCache[];
}
