import { IsBoolean, IsIn, IsObject, IsString, Length, MaxLength } from 'class-validator';
import { All, BooleanLike, Json, MapOf, Nullable, Optional, Pattern } from '@fractus/dto-schema';

const Uuid = (): PropertyDecorator => Pattern('^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$');
const Text = (): PropertyDecorator => All(Optional(), Nullable(), IsString(), MaxLength(255));
const Texts = (): PropertyDecorator => MapOf([IsString(), MaxLength(255)], { key: /^[^]{1,255}$/ });
/** Whole GiB, as a number or its text. */
const Size = (): PropertyDecorator =>
  Json({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: 2147483647 },
      { type: 'string', pattern: '^[1-9][0-9]{0,8}$' },
    ],
  });
const Reference = (): PropertyDecorator => All(Optional(), Nullable(), IsString(), MaxLength(255));

export class NewVolume {
  @Text() name?: string | null;
  @Text() display_name?: string | null;
  @Text() description?: string | null;
  @Text() display_description?: string | null;
  @Optional() @Nullable() @Size() size?: number | string | null;
  @Reference() volume_type?: string | null;
  @Text() availability_zone?: string | null;
  @Optional() @Nullable() @Texts() metadata?: Record<string, string> | null;
  @Reference() imageRef?: string | null;
  @Reference() image_id?: string | null;
  @Reference() source_volid?: string | null;
  @Reference() snapshot_id?: string | null;
  @Reference() backup_id?: string | null;
  @Reference() group_id?: string | null;
  @Reference() consistencygroup_id?: string | null;
  @Optional() @Nullable() @BooleanLike() multiattach?: boolean | string | null;
}

export class VolumeChange {
  @Text() name?: string | null;
  @Text() display_name?: string | null;
  @Text() description?: string | null;
  @Text() display_description?: string | null;
  @Optional() @Nullable() @Texts() metadata?: Record<string, string> | null;
}

export class Metadata {
  @Texts() metadata: Record<string, string>;
}

export class NewType {
  @IsString() @Length(1, 255) name: string;
  @Text() description?: string | null;
  @Optional() @Texts() extra_specs?: Record<string, string>;
  @Optional() @BooleanLike() 'os-volume-type-access:is_public'?: boolean | string;
}

export class TypeChange {
  @Optional() @IsString() @Length(1, 255) name?: string;
  @Text() description?: string | null;
  @Optional() @BooleanLike() is_public?: boolean | string;
}

export class ExtraSpecs {
  @Texts() extra_specs: Record<string, string>;
}

export class ProjectAccess {
  @IsString() @Length(1, 64) project: string;
}

export class NewAttachment {
  @Uuid() volume_uuid: string;
  @Optional() @Nullable() @Uuid() instance_uuid?: string | null;
  @Optional() @Nullable() @IsObject() connector?: Record<string, unknown> | null;
  @Optional() @IsIn(['rw', 'ro', null]) mode?: 'rw' | 'ro' | null;
}

export class AttachmentChange {
  @IsObject() connector: Record<string, unknown>;
}

export class SizeChange {
  @Size() new_size: number | string;
}

export class Bootable {
  @BooleanLike() bootable: boolean | string;
}

export class ReadOnly {
  @IsBoolean() readonly: boolean;
}

export class StatusChange {
  @IsIn(['available', 'error', 'in-use', 'reserved', 'attaching', 'detaching', 'maintenance']) status: string;
}

export class ImageKey {
  @IsString() @Length(1, 255) key: string;
}
