/**
 * Images as they were last read, so that the boot of a server costs no statement here. It holds because this process
 * alone writes to its database, as it alone owns its folder of bytes: every write forgets what it touched, and a read
 * that was under way meanwhile is not kept.
 */
import { LRUCache } from 'lru-cache';
import type { FullImage } from './image.rows';

/** Characters of all images together. */
const MAX_SIZE = 16 * 2 ** 20;

export class ImageCache {
  private readonly known = new LRUCache<string, FullImage>({ max: 10_000, maxSize: MAX_SIZE, sizeCalculation: sizeOf });
  private writes = 0;

  async get(id: string, read: () => Promise<FullImage | undefined>): Promise<FullImage | undefined> {
    const known = this.known.get(id);
    if (known) return known;
    const before = this.writes;
    const found = await read();
    // under its own id: databases may find it by another spelling
    if (found && before === this.writes) this.known.set(found.id, found);
    return found;
  }

  /** Runs a write of one image. However it ends, what was known of the image is forgotten before anybody is told. */
  async writing<T>(id: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } finally {
      this.writes++;
      this.known.delete(id);
    }
  }
}

function sizeOf({ properties, tags }: FullImage): number {
  const texts = [...Object.entries(properties).flat(), ...tags];
  return texts.reduce((sum, text) => sum + text.length, 1024);
}
