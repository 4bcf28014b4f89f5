import { IsBoolean, IsIn, IsInt, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { All, ListOf, Nullable, Optional, Pattern } from '@fractus/dto-schema';

export const DISK_FORMATS = ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop'];
export const CONTAINER_FORMATS = ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'];
export const VISIBILITIES = ['community', 'public', 'private', 'shared'] as const;

const Count = (): PropertyDecorator => All(IsInt(), Min(0), Max(2 ** 31 - 1));

/** The attributes of an image that a client sets; any other member is a property of its own, a text (checked with them). */
export class NewImage {
  @Optional() @Pattern('^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') id?: string;
  @Optional() @Nullable() @IsString() @MaxLength(255) name?: string | null;
  @Optional() @IsIn(VISIBILITIES) visibility?: (typeof VISIBILITIES)[number];
  @Optional() @Nullable() @IsString() @MaxLength(64) owner?: string | null;
  @Optional() @IsBoolean() protected?: boolean;
  @Optional() @IsBoolean() os_hidden?: boolean;
  @Optional() @Nullable() @IsIn(DISK_FORMATS) disk_format?: string | null;
  @Optional() @Nullable() @IsIn(CONTAINER_FORMATS) container_format?: string | null;
  @Optional() @Count() min_disk?: number;
  @Optional() @Count() min_ram?: number;
  @Optional() @ListOf([IsString(), Length(1, 255)], { max: 128 }) tags?: string[];
}

export class NewMember {
  @IsString() @Length(1, 64) member: string;
}

export class MemberChange {
  @IsIn(['pending', 'accepted', 'rejected']) status: 'pending' | 'accepted' | 'rejected';
}
