import { IsIn, IsString, Length, MaxLength, MinLength } from 'class-validator';
import {
  AnyOf,
  Anything,
  BooleanLike,
  Closed,
  Format,
  InVersions,
  ListOf,
  MapOf,
  Nested,
  Nullable,
  NumericString,
  OneOf,
  Optional,
  Pattern,
  Secret,
  Since,
  Until,
  Versions,
} from '@fractus/dto-schema';
import { DiskConfig, HostLikeName, IpAddress, METADATA_KEY, Name, Tag } from '../rules';

/** Upstream's largest 32-bit signed integer: sizes in GiB. */
const INT_MAX = 2_147_483_647;

@Closed()
export class ServerNetwork {
  @Optional() @IpAddress() fixed_ip?: string;
  @Optional() @Nullable() @Format('uuid') port?: string | null;
  @Optional() @InVersions('-2.36', IsString()) @InVersions('2.37-', Format('uuid')) uuid?: string;
  /** Left out of 2.37 to 2.41 by mistake (upstream bug 1658571). */
  @Optional() @Versions('2.32-2.36', '2.42-') @Tag() tag?: string;
}

/** Members that both forms of a block device mapping have. */
@Closed()
class BlockDevice {
  @Optional() @MaxLength(255) virtual_name?: string;
  @Optional() @Format('uuid') volume_id?: string;
  @Optional() @Format('uuid') snapshot_id?: string;
  /** GiB. */
  @Optional() @NumericString({ min: 1, max: INT_MAX }) volume_size?: number | string;
  @Optional() @Length(1, 255) @Pattern('^[a-zA-Z0-9._/-]*$') device_name?: string;
  @Optional() @BooleanLike() delete_on_termination?: boolean | string;
  @Anything() no_device?: unknown;
  @Optional() @MaxLength(16_777_215) connection_info?: string;
}

@Closed()
export class LegacyBlockDeviceMapping extends BlockDevice {}

@Closed()
export class BlockDeviceMapping extends BlockDevice {
  @Optional() @IsString() @IsIn(['volume', 'image', 'snapshot', 'blank']) source_type?: string;
  @Optional() @Length(1, 255) @Pattern('^[a-zA-Z0-9._-]*$') uuid?: string;
  @Optional() @Format('uuid') image_id?: string;
  @Optional() @IsString() @IsIn(['local', 'volume']) destination_type?: string;
  @Optional() @MaxLength(255) guest_format?: string;
  @Optional() @MaxLength(255) device_type?: string;
  @Optional() @MaxLength(255) disk_bus?: string;
  @Optional() @Nullable() @NumericString({ pattern: '^-?[0-9]+$' }) boot_index?: number | string | null;
  /** Left out of 2.33 to 2.41 by mistake (upstream bug 1658571). */
  @Optional() @Versions('2.32', '2.42-') @Tag() tag?: string;
  @Optional() @Nullable() @Since('2.67') @MaxLength(255) volume_type?: string | null;
}

/** A file to put into the guest. */
@Closed()
export class PersonalityFile {
  @Optional() @IsString() path?: string;
  @Optional() @Secret() @Format('base64') contents?: string;
}

@Closed()
export class SecurityGroupName {
  @Optional() @Name() name?: string;
}

/** Where the server should go; unknown hints pass, for operators' own filters. */
export class SchedulerHints {
  @Optional() @OneOf(ListOf(Format('uuid')), Format('uuid')) group?: string | string[];
  @Optional() @OneOf(Format('uuid'), ListOf(Format('uuid'))) different_host?: string | string[];
  @Optional() @AnyOf('string', ListOf(Format('uuid'))) same_host?: string | string[];
  @Optional() @AnyOf('string', 'object') query?: string | object;
  @Optional() @Length(1, 255) @Format('name') target_cell?: string;
  @Optional() @AnyOf('string', ListOf('string')) different_cell?: string | string[];
  @Optional() @IpAddress() build_near_host_ip?: string;
  @Optional() @Pattern('^/[0-9a-f.:]+$') cidr?: string;
}

@Closed()
export class NewServer {
  @Name() name: string;
  /** Absent or empty where a volume holds the root disk. */
  @Optional() @OneOf(Format('uuid'), MaxLength(0)) imageRef?: string;
  @AnyOf(MinLength(1), 'integer') flavorRef: string | number;
  @Optional() @Secret() @IsString() adminPass?: string;
  @Optional() @MapOf(MaxLength(255), { key: METADATA_KEY }) metadata?: Record<string, string>;
  @InVersions('-2.36', Optional(), ListOf(() => ServerNetwork))
  @InVersions(
    '2.37-',
    OneOf(
      ListOf(() => ServerNetwork),
      { type: 'string', enum: ['none', 'auto'] },
    ),
  )
  networks?: ServerNetwork[] | 'none' | 'auto';
  @Optional() @DiskConfig() 'OS-DCF:diskConfig'?: string;
  @Optional() @Format('ipv4') accessIPv4?: string;
  @Optional() @Format('ipv6') accessIPv6?: string;
  @Optional() @Until('2.56') @ListOf(() => PersonalityFile) personality?: PersonalityFile[];
  @Optional() @Name() availability_zone?: string;
  @Optional() @ListOf(() => LegacyBlockDeviceMapping) block_device_mapping?: LegacyBlockDeviceMapping[];
  @Optional() @ListOf(() => BlockDeviceMapping) block_device_mapping_v2?: BlockDeviceMapping[];
  @Optional() @BooleanLike() config_drive?: boolean | string;
  @Optional() @Name() key_name?: string;
  @Optional() @NumericString({ min: 1, pattern: '^[0-9]*$', minLength: 1 }) min_count?: number | string;
  @Optional() @NumericString({ min: 1, pattern: '^[0-9]*$', minLength: 1 }) max_count?: number | string;
  @Optional() @BooleanLike() return_reservation_id?: boolean | string;
  @Optional() @ListOf(() => SecurityGroupName) security_groups?: SecurityGroupName[];
  @Optional() @Secret() @InVersions('-2.0', Nullable()) @Format('base64') @MaxLength(65_535) user_data?: string | null;
  @Optional() @Since('2.19') @Nullable() @Format('printable') @MaxLength(255) description?: string | null;
  @Optional() @Since('2.52') @ListOf(Tag(), { max: 50 }) tags?: string[];
  @Optional()
  @Since('2.63')
  @Nullable()
  @ListOf(MinLength(1), { min: 1, max: 50, unique: true })
  trusted_image_certificates?: string[] | null;
  @Optional() @Since('2.74') @HostLikeName() host?: string;
  @Optional() @Since('2.74') @HostLikeName() hypervisor_hostname?: string;
  @Optional()
  @Since('2.90')
  @InVersions('2.90-2.93', Pattern('^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$'), Length(2, 63))
  @InVersions('2.94-', HostLikeName())
  hostname?: string;
}

/** The body of `POST /servers`, 2.0 to 2.104. */
@Closed()
export class CreateServerDto {
  @Nested(() => NewServer) server: NewServer;
  @Optional() @Nested(() => SchedulerHints) 'os:scheduler_hints'?: SchedulerHints;
  /** The older name of the same; it counts where only it is given. */
  @Optional() @Nested(() => SchedulerHints) 'OS-SCH-HNT:scheduler_hints'?: SchedulerHints;
}
