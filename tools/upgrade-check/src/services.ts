/** What of the services' own code is compared with what runs: their schemas, and what an agent of this release is. */
import { IDENTITY_MIGRATIONS, IMAGE_MIGRATIONS, NETWORK_MIGRATIONS } from '@fractus/app-companions';
import { PLACEMENT_MIGRATIONS } from '@fractus/app-placement';
import { COMPUTE_MIGRATIONS } from '@fractus/compute-db';
import type { DatabaseOptions } from '@fractus/database';
import type { DatabaseName } from '@fractus/operator';

export { SERVICE_VERSION } from '@fractus/app-compute-agent';

type Migrations = DatabaseOptions['migrations'];

export const MIGRATIONS: Readonly<Record<DatabaseName, Migrations>> = {
  compute: COMPUTE_MIGRATIONS as Migrations,
  placement: PLACEMENT_MIGRATIONS as Migrations,
  identity: IDENTITY_MIGRATIONS as Migrations,
  image: IMAGE_MIGRATIONS as Migrations,
  network: NETWORK_MIGRATIONS as Migrations,
};
