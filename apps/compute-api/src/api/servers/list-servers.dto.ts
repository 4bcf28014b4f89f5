import { IsIn } from 'class-validator';
import { AlsoProperties, Closed, Format, InVersions, NumericString, Optional, Since } from '@fractus/dto-schema';
import { Parameters, TextParameters } from '@fractus/microversions';

/** Keys that a list may be sorted by. */
const SORT_KEYS = [
  'access_ip_v4', 'access_ip_v6', 'auto_disk_config', 'availability_zone', 'config_drive', 'created_at',
  'display_description', 'display_name', 'host', 'hostname', 'image_ref', 'instance_type_id', 'kernel_id', 'key_name',
  'launch_index', 'launched_at', 'locked', 'locked_by', 'node', 'power_state', 'progress', 'project_id', 'ramdisk_id',
  'root_device_name', 'task_state', 'terminated_at', 'updated_at', 'user_id', 'uuid', 'vm_state',
]; // prettier-ignore

/** Keys that order by what no client sees: taken without effect until 2.74, refused from then on. */
const IDLE_SORT_KEYS = [
  'architecture', 'cell_name', 'cleaned', 'default_ephemeral_device', 'default_swap_device', 'deleted', 'deleted_at',
  'disable_terminate', 'ephemeral_gb', 'ephemeral_key_uuid', 'id', 'key_data', 'launched_on', 'memory_mb', 'os_type',
  'reservation_id', 'root_gb', 'shutdown_terminate', 'user_data', 'vcpus', 'vm_mode',
]; // prettier-ignore

const Regexes = (): PropertyDecorator => Parameters(Format('regex'));

/** The query of GET /servers and GET /servers/detail. From 2.75 an unknown parameter is refused. */
@Closed('2.75-')
@AlsoProperties('^_', { type: 'array', items: { type: 'string' } })
export class ListServersQuery {
  @Optional() @Regexes() access_ip_v4?: string[];
  @Optional() @Regexes() access_ip_v6?: string[];
  @Optional() @TextParameters() all_tenants?: string[];
  @Optional() @Regexes() auto_disk_config?: string[];
  @Optional() @Regexes() availability_zone?: string[];
  @Optional() @TextParameters() block_device_mapping?: string[];
  @Optional() @Parameters(Format('date-time')) 'changes-since'?: string[];
  @Optional() @Since('2.66') @Parameters(Format('date-time')) 'changes-before'?: string[];
  @Optional() @Regexes() config_drive?: string[];
  @Optional() @Regexes() created_at?: string[];
  @Optional() @TextParameters() deleted?: string[];
  @Optional() @Regexes() description?: string[];
  @Optional() @Regexes() display_description?: string[];
  @Optional() @Regexes() display_name?: string[];
  @Optional() @Regexes() flavor?: string[];
  @Optional() @TextParameters() host?: string[];
  @Optional() @Regexes() hostname?: string[];
  @Optional() @TextParameters() image?: string[];
  @Optional() @TextParameters() image_ref?: string[];
  @Optional() @TextParameters() info_cache?: string[];
  @Optional() @Regexes() ip?: string[];
  @Optional() @Regexes() ip6?: string[];
  @Optional() @Regexes() kernel_id?: string[];
  @Optional() @Regexes() key_name?: string[];
  @Optional() @TextParameters() launch_index?: string[];
  @Optional() @Regexes() launched_at?: string[];
  @Optional() @Parameters(NumericString({ min: 0, pattern: '^[0-9]*$', minLength: 1 })) limit?: string[];
  @Optional() @Since('2.73') @TextParameters() locked?: string[];
  @Optional() @Regexes() locked_by?: string[];
  @Optional() @TextParameters() marker?: string[];
  @Optional() @TextParameters() metadata?: string[];
  @Optional() @Regexes() name?: string[];
  @Optional() @Regexes() node?: string[];
  @Optional() @Since('2.26') @Regexes() 'not-tags'?: string[];
  @Optional() @Since('2.26') @Regexes() 'not-tags-any'?: string[];
  @Optional() @TextParameters() pci_devices?: string[];
  @Optional() @Regexes() power_state?: string[];
  @Optional() @Regexes() progress?: string[];
  @Optional() @TextParameters() project_id?: string[];
  @Optional() @Regexes() ramdisk_id?: string[];
  @Optional() @Regexes() reservation_id?: string[];
  @Optional() @Regexes() root_device_name?: string[];
  @Optional() @TextParameters() security_groups?: string[];
  @Optional() @TextParameters() services?: string[];
  @Optional() @TextParameters() soft_deleted?: string[];
  @Optional() @TextParameters() sort_dir?: string[];
  @Optional()
  @InVersions('-2.74', Parameters(IsIn([...SORT_KEYS, ...IDLE_SORT_KEYS])))
  @InVersions('2.75-', Parameters(IsIn(SORT_KEYS)))
  sort_key?: string[];
  @Optional() @TextParameters() status?: string[];
  @Optional() @TextParameters() system_metadata?: string[];
  @Optional() @Since('2.26') @Regexes() tags?: string[];
  @Optional() @Since('2.26') @Regexes() 'tags-any'?: string[];
  @Optional() @TextParameters() task_state?: string[];
  @Optional() @TextParameters() tenant_id?: string[];
  @Optional() @Regexes() terminated_at?: string[];
  @Optional() @TextParameters() user_id?: string[];
  @Optional() @TextParameters() uuid?: string[];
  @Optional() @TextParameters() vm_state?: string[];
}

/** GET /servers/{id} takes no parameter; only 2.102 says so. */
@Closed('2.102-')
export class ShowServerQuery {}
