import { IsIn, IsString, Length } from 'class-validator';
import { All, Format, InVersions, OneOf, Pattern } from '@fractus/dto-schema';

/**
 * Rules that several resources share, by the name of what they describe. The legacy /v2 endpoint (2.0) forgives spaces
 * around names.
 */
export const Name = (): PropertyDecorator =>
  All(
    Length(1, 255),
    InVersions('-2.0', Format('name_with_leading_trailing_spaces')),
    InVersions('2.1-', Format('name')),
  );

/** A name of a metadata item's key: what the key of a `MapOf` must look like. */
export const METADATA_KEY = '^[a-zA-Z0-9-_:. ]{1,255}$';

/** A server tag: no comma, no slash (api-wg guideline on tags). */
export const Tag = (): PropertyDecorator => All(Pattern('^[^,/]*$'), Length(1, 60));

/** A host's or a guest's name as far as characters go. */
export const HostLikeName = (): PropertyDecorator => All(Pattern('^[a-zA-Z0-9-._]*$'), Length(1, 255));

export const IpAddress = (): PropertyDecorator => OneOf(Format('ipv4'), Format('ipv6'));

export const DiskConfig = (): PropertyDecorator => All(IsString(), IsIn(['AUTO', 'MANUAL']));
