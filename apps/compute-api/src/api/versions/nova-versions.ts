import type { ApiVersions } from '@fractus/microversions';

/** The range that this API serves (upstream nova/api/openstack/api_version_request.py, 2026.2). */
export const NOVA: ApiVersions = {
  service: 'compute',
  min: '2.1',
  max: '2.104',
  legacyHeader: 'X-OpenStack-Nova-API-Version',
  dialect: 'nova',
};
