import { notFound, systemContext, unavailable } from '@fractus/objects';
import { Aggregates, type AggregatesDeps } from './aggregates';

const failingWith = (error: Error): Aggregates =>
  new Aggregates({ aggregates: { get: () => Promise.reject(error) } } as unknown as AggregatesDeps);

describe('removing a host from an aggregate', () => {
  const ctx = systemContext('req-1');

  it('tells a database that is lost from an aggregate that is not there', async () => {
    const lost = failingWith(unavailable('The database cannot be reached.', { code: 'database.unavailable' }));
    await expect(lost.removeHost(ctx, 1, 'h')).rejects.toMatchObject({ kind: 'unavailable' });
    const missing = failingWith(notFound('Aggregate 1 could not be found.'));
    await expect(missing.removeHost(ctx, 1, 'h')).rejects.toMatchObject({ code: 'aggregate.host_not_found' });
  });
});
