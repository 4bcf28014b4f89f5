/**
 * What a story may ask of the cloud it runs against, whichever that is: one process with everything in it, started by
 * the test itself (`TestCloud`), or every app as a process of its own over MariaDB and RabbitMQ (`DistributedCloud`).
 */
import type { LedgerEntry } from '@fractus/virt-simulated';
import type { CloudUser, Credentials, NewUser, ServiceUrls } from './cloud-user';

export interface StoryCloud {
  readonly admin: CloudUser;
  readonly demo: CloudUser;
  readonly urls: ServiceUrls;
  /** Operations of the Compute API that were answered with success, by name. */
  readonly served: ReadonlySet<string>;
  /** Makes a user, the project it works in where there is none, and its role there. */
  newUser(user: NewUser): Promise<CloudUser>;
  /** A user that exists. */
  user(who: Credentials): CloudUser;
  /** Stops in good order and starts again on the same state. */
  restart(): Promise<void>;
  /** Every side effect on the simulated hypervisors, in order. */
  ledger(): LedgerEntry[];
  close(): Promise<void>;
}

export interface StoryCloudOptions {
  /** Simulated hosts, `host-1` and so on. Default 3. */
  hosts?: number;
  /** Default `instant`. */
  simProfile?: 'default' | 'instant' | 'slow';
  /** Options of services by their variables, as `FRACTUS_COMPUTE_API_QUOTA_CORES`. */
  env?: Readonly<Record<string, string>>;
}

/** What every cloud of a test starts with: a cheap password hash, since logins are not what stories are about. */
export const STORY_ENV: Readonly<Record<string, string>> = { FRACTUS_IDENTITY_PASSWORD_COST: '4' };

/** Whether stories run against separate processes: `FRACTUS_E2E=distributed`. */
export const isDistributed = (): boolean => process.env['FRACTUS_E2E'] === 'distributed';
