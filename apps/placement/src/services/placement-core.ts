/** What every use case needs: the database for writes, the replica for reads. */
import type { Database } from '@fractus/database';
import { conflict, notFound } from '@fractus/objects';
import type { Provider } from '../domain/provider';
import type { EstateReplica } from '../replica/estate-replica';
import { rethrowUnavailable } from '../store/unavailable';
import { NamesOutdated } from '../store/tree-reader';
import { CONCURRENT_UPDATE, type WriteUnit, inWriteUnit } from '../store/write-unit';

export class PlacementCore {
  constructor(
    readonly db: Database,
    readonly replica: EstateReplica,
  ) {}

  write<R>(block: (unit: WriteUnit) => Promise<R>): Promise<R> {
    return inWriteUnit(this.db, block).catch(rethrowUnavailable);
  }

  /** A write that makes ids of names: again, with the names as they are then, when one has gone meanwhile. */
  async writeNamed<R>(block: (unit: WriteUnit) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      await this.replica.syncNames();
      try {
        return await this.write(block);
      } catch (e) {
        if (!(e instanceof NamesOutdated)) throw e;
        if (attempt === 10)
          throw conflict('A name in use was made and removed time and again.', { code: CONCURRENT_UPDATE, cause: e });
      }
    }
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
