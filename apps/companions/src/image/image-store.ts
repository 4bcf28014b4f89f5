/**
 * Image bytes as files in one folder. A file appears under its final name only when it is whole and synced, so a crash
 * leaves at most files that no row names; those are swept at start. One process owns the folder.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { FractusError } from '@fractus/objects';

export interface StoredData {
  /** Name of the file in the store. */
  readonly file: string;
  readonly size: number;
  /** MD5, hexadecimal. */
  readonly checksum: string;
  /** SHA-512, hexadecimal. */
  readonly hashValue: string;
}

export type NotRemoved = (file: string, cause: unknown) => void;

const PARTIAL = '.partial';

export class ImageStore {
  private constructor(
    private readonly folder: string,
    /** Bytes that one image may have. */
    private readonly limit: number,
    private readonly notRemoved: NotRemoved,
  ) {}

  /** `notRemoved` is told of files that stay until the next start. */
  static async open(folder: string, limit: number, notRemoved: NotRemoved = () => undefined): Promise<ImageStore> {
    await mkdir(folder, { recursive: true });
    return new ImageStore(folder, limit, notRemoved);
  }

  /** Takes the bytes in; nothing is left behind where the source breaks off or is too long (`too_large`). */
  async write(source: Readable): Promise<StoredData> {
    const file = randomUUID();
    const draft = join(this.folder, file + PARTIAL);
    const meter = new Meter(this.limit);
    // not one pipeline with the source: that would destroy the request's socket, and with it the answer
    const stored = pipeline(meter, createWriteStream(draft, { mode: 0o600 }));
    finished(source, { writable: false }).catch((e: Error) => meter.destroy(e));
    source.pipe(meter);
    try {
      await stored;
      const handle = await open(draft, 'r+');
      await handle.sync().finally(() => handle.close());
      await rename(draft, this.path(file));
    } catch (e) {
      source.unpipe(meter);
      source.resume();
      await rm(draft, { force: true });
      throw e;
    }
    return { file, ...meter.result() };
  }

  /** @param range inclusive byte positions */
  async read(file: string, range?: { start: number; end: number }): Promise<Readable> {
    await stat(this.path(file));
    return createReadStream(this.path(file), range);
  }

  /** Of a file that no row names any more. Never rejects: what cannot be removed now is swept at the next start. */
  async remove(file: string): Promise<void> {
    await rm(this.path(file), { force: true }).catch((e: unknown) => this.notRemoved(file, e));
  }

  /** Removes every file that is not in `known`. Only at start, before uploads are taken. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.folder))
      if (!known.has(name)) await rm(join(this.folder, name), { force: true });
  }

  private path(file: string): string {
    return join(this.folder, file);
  }
}

/** Counts and hashes what flows through, and stops it at the limit. */
class Meter extends Transform {
  private readonly md5 = createHash('md5');
  private readonly sha512 = createHash('sha512');
  private size = 0;

  constructor(private readonly limit: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: (e?: Error | null, data?: Buffer) => void): void {
    this.size += chunk.length;
    if (this.size > this.limit) {
      const message = `The image is larger than the ${this.limit} bytes that an image may have.`;
      return done(new FractusError('too_large', message, { code: 'image.too_large', details: { limit: this.limit } }));
    }
    this.md5.update(chunk);
    this.sha512.update(chunk);
    done(null, chunk);
  }

  result(): Omit<StoredData, 'file'> {
    return { size: this.size, checksum: this.md5.digest('hex'), hashValue: this.sha512.digest('hex') };
  }
}
