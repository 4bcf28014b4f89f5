import { stringify } from 'yaml';
import type { Secrets } from './state-dir';

/** Entries `fractus` (admin), `fractus-demo` and `fractus-system` as openstacksdk and the CLI read them. */
export function cloudsYaml(authUrl: string, secrets: Secrets): string {
  const entry = (username: string, password: string, scope: Record<string, string>): object => ({
    auth: { auth_url: authUrl, username, password, user_domain_id: 'default', ...scope },
    region_name: 'RegionOne',
    identity_api_version: '3',
    interface: 'public',
  });
  const project = (name: string): Record<string, string> => ({ project_name: name, project_domain_id: 'default' });
  return stringify({
    clouds: {
      fractus: entry('admin', secrets.adminPassword, project('admin')),
      'fractus-demo': entry('demo', secrets.demoPassword, project('demo')),
      'fractus-system': entry('admin', secrets.adminPassword, { system_scope: 'all' }),
    },
  });
}
