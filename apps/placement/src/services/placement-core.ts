/** What every use case needs: the database for writes, the replica for reads. */
import type { Database } from '@fractus/database';
import { notFound } from '@fractus/objects';
import type { Provider } from '../domain/provider';
import type { EstateReplica } from '../replica/estate-replica';
import { rethrowUnavailable } from '../store/unavailable';
import { type WriteUnit, inWriteUnit } from '../store/write-unit';

export class PlacementCore {
  constructor(
    readonly db: Database,
    readonly replica: EstateReplica,
  ) {}

  write<R>(block: (unit: WriteUnit) => Promise<R>): Promise<R> {
    return inWriteUnit(this.db, block).catch(rethrowUnavailable);
  }

  /** The provider as of now, or undefined. */
  async find(uuid: string): Promise<Provider | undefined> {
    await this.replica.sync();
    return this.replica.estate.provider(uuid);
  }

  /** The provider as of now; 404 naming it if there is none. */
  async get(uuid: string): Promise<Provider> {
    const provider = await this.find(uuid);
    if (!provider) throw noProvider(uuid);
    return provider;
  }
}

export function noProvider(uuid: string, suffix = ''): Error {
  return notFound(`No resource provider with uuid ${uuid} found${suffix}`, { code: 'resource_provider.not_found' });
}
