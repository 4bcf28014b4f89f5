/** `placement inventory demo`: one pass, or one each interval until the command is stopped. */
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { invalid } from '@fractus/objects';
import { type Api, EXIT, type ExitCode, type Output, sentenceOf } from '@fractus/operator';
import { Pool, type PoolWish, type Write } from './pool';

export interface PoolOptions extends PoolWish {
  /** A folder on the pool; its file system's size is the total. */
  readonly path?: string;
  readonly totalGb?: number;
  readonly intervalSeconds: number;
  readonly once: boolean;
  readonly dryRun: boolean;
  readonly remove: boolean;
}

const GIB = 2 ** 30;

export async function keepPool(api: Api, options: PoolOptions, output: Output, stop: AbortSignal): Promise<ExitCode> {
  const { dryRun, remove, once, path, totalGb } = options;
  if (!remove && (path === undefined) === (totalGb === undefined))
    throw invalid('say how large the pool is: --path FOLDER or --total-gb N', { code: 'pool.usage' });
  const write: Write = async (what, make) => {
    output.out(dryRun ? `would ${what}` : what);
    if (!dryRun) await make();
  };
  const pool = new Pool(api, options, write);
  if (remove) {
    await pool.remove();
    return EXIT.done;
  }
  const pass = async (): Promise<void> => pool.keep(totalGb ?? (await sizeOf(path ?? '')));
  if (once || dryRun) {
    await pass();
    return EXIT.done;
  }
  while (!stop.aborted) {
    // the next pass may find Placement again
    await pass().catch((e: unknown) => output.err(`placement: ${sentenceOf(e)}`));
    await pause(options.intervalSeconds * 1000, undefined, { signal: stop }).catch(() => undefined);
  }
  return EXIT.done;
}

/** Whole GiB of the file system that the folder is on, without what it keeps for root. */
async function sizeOf(path: string): Promise<number> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(path);
    return Math.floor(((blocks - (bfree - bavail)) * bsize) / GIB);
  } catch (cause) {
    throw invalid(`--path ${path} cannot be asked for its size: ${sentenceOf(cause)}`, { code: 'pool.path', cause });
  }
}
