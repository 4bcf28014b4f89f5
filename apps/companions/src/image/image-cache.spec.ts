import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Database } from '@fractus/database';
import { eachDatabase, statementsOf } from '@fractus/database/testing';
import { systemContext } from '@fractus/objects';
import { ImageCache } from './image-cache';
import { IMAGE_MIGRATIONS } from './image.migrations';
import type { FullImage } from './image.rows';
import { ImageStore } from './image-store';
import { Images } from './images';

const ctx = systemContext('req-images');
const stranger = { ...ctx, roles: ['member'], projectId: 'elsewhere' };
const fields = { name: 'i', disk_format: 'raw', container_format: 'bare' } as const;

eachDatabase('images', (open) => {
  let db: Database;
  let folder: string;
  let images: Images;
  beforeEach(async () => {
    db = await open({ entities: [], migrations: IMAGE_MIGRATIONS });
    folder = mkdtempSync(join(tmpdir(), 'fractus-images-'));
    images = new Images(db, await ImageStore.open(folder, 1024));
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const reads = async (id: string): Promise<number> => (await statementsOf(db, () => images.show(ctx, id))).length;

  it('cost no statement to show once they were shown, and are read anew after every write', async () => {
    const { id } = await images.create(ctx, { ...fields, visibility: 'public' });
    const writes: [(image: FullImage) => unknown, unknown, () => Promise<unknown>][] = [
      [(i) => i.tags, ['a'], () => images.setTag(ctx, id, 'a')],
      [(i) => i.tags, [], () => images.removeTag(ctx, id, 'a')],
      [(i) => i.name, 'j', () => images.patch(ctx, id, [{ op: 'replace', name: 'name', value: 'j' }])],
      [(i) => i.status, 'active', () => images.upload(ctx, id, Readable.from([Buffer.from('bytes')]))],
      [(i) => i.status, 'deactivated', () => images.setActive(ctx, id, false)],
    ];
    for (const [pick, now, write] of writes) {
      expect(pick(await images.show(ctx, id))).not.toEqual(now);
      expect(await reads(id)).toBe(0);
      await write();
      expect(pick(await images.show(ctx, id))).toEqual(now);
    }
    expect(await reads(id)).toBe(0);
    await images.delete(ctx, id);
    await expect(images.show(ctx, id)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are shown to those who may see them, whoever asked before', async () => {
    const { id } = await images.create(ctx, { ...fields, visibility: 'private', owner: 'p1' });
    await images.show(ctx, id);
    await expect(images.show(stranger, id)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('ImageCache', () => {
  const image = (name: string): FullImage => ({ id: 'i', name, tags: [], properties: {} }) as unknown as FullImage;

  it('does not keep what was read before a write that ended meanwhile', async () => {
    const cache = new ImageCache();
    const old = await cache.get('i', async () => {
      await cache.writing('i', async () => undefined);
      return image('old');
    });
    expect(old?.name).toBe('old');
    expect((await cache.get('i', async () => image('new')))?.name).toBe('new');
    expect((await cache.get('i', async () => image('newer')))?.name).toBe('new');
  });

  it('forgets after a write that failed: its commit may have been done all the same', async () => {
    const cache = new ImageCache();
    await cache.get('i', async () => image('old'));
    await expect(cache.writing('i', () => Promise.reject(new Error('commit lost')))).rejects.toThrow('commit lost');
    expect((await cache.get('i', async () => image('new')))?.name).toBe('new');
  });
});
