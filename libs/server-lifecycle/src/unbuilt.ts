/**
 * What upstream can do to a server and this cannot yet, told as such to who asks what is possible. Whoever builds one
 * takes its line out; the check at import holds this list apart from the table, a test holds both against upstream's.
 */
import type { Reason } from './reasons';

export interface UnbuiltAction {
  readonly name: string;
  /** The request of upstream's that does it. */
  readonly request: string;
}

const byKey = (...keys: string[]): UnbuiltAction[] =>
  keys.map((name) => ({ name, request: `POST /servers/{id}/action ${name}` }));

export const UNBUILT_ACTIONS: readonly UnbuiltAction[] = [
  ...byKey('resize', 'confirmResize', 'revertResize', 'migrate', 'os-migrateLive', 'evacuate'),
  ...byKey('rebuild', 'rescue', 'unrescue', 'shelve', 'shelveOffload', 'unshelve', 'forceDelete', 'restore'),
  ...byKey('createImage', 'createBackup', 'changePassword', 'trigger_crash_dump', 'os-resetState', 'injectNetworkInfo'),
  ...byKey('os-getConsoleOutput', 'os-getVNCConsole', 'os-getSPICEConsole', 'os-getSerialConsole'),
  ...byKey(
    'addSecurityGroup',
    'removeSecurityGroup',
    'addFloatingIp',
    'removeFloatingIp',
    'addFixedIp',
    'removeFixedIp',
  ),
  { name: 'attach_volume', request: 'POST /servers/{id}/os-volume_attachments' },
  { name: 'swap_volume', request: 'PUT /servers/{id}/os-volume_attachments/{volume_id}' },
  { name: 'detach_volume', request: 'DELETE /servers/{id}/os-volume_attachments/{volume_id}' },
  { name: 'attach_interface', request: 'POST /servers/{id}/os-interface' },
  { name: 'detach_interface', request: 'DELETE /servers/{id}/os-interface/{port_id}' },
  { name: 'attach_share', request: 'POST /servers/{id}/shares' },
  { name: 'detach_share', request: 'DELETE /servers/{id}/shares/{share_id}' },
  { name: 'set_metadata', request: 'POST /servers/{id}/metadata' },
  { name: 'set_tags', request: 'PUT /servers/{id}/tags' },
  { name: 'open_console', request: 'POST /servers/{id}/remote-consoles' },
  { name: 'force_complete', request: 'POST /servers/{id}/migrations/{migration_id}/action' },
  { name: 'abort_migration', request: 'DELETE /servers/{id}/migrations/{migration_id}' },
];

export const notBuilt = (name: string): Reason => ({
  code: 'action.not_built',
  message: `'${name}' is an action of upstream that is not built here.`,
  have: null,
  need: null,
  retryable: false,
});
