import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageStore } from './image-store';

describe('ImageStore', () => {
  it('tells of a file that cannot be removed, and goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fractus-images-'));
    const told: [string, unknown][] = [];
    const store = await ImageStore.open(folder, 1024, (file, cause) => told.push([file, cause]));
    mkdirSync(join(folder, 'odd'));
    await store.remove('odd');
    await store.remove('gone');
    expect(told).toEqual([['odd', expect.objectContaining({ code: 'ERR_FS_EISDIR' })]]);
    rmSync(folder, { recursive: true });
  });
});
