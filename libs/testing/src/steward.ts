import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = resolve(__dirname, '../steward/steward.mjs');

interface Waiting {
  resolve(value: unknown): void;
  reject(why: Error): void;
}

/** The process that keeps a distributed cloud for us; it ends the cloud's processes when we are gone, however that came. */
export class Steward {
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(folder: string) {
    const child = spawn(process.execPath, [SCRIPT, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    let how = '';
    this.ended = new Promise((done) => child.once('exit', (code, signal) => ((how = `${signal ?? code}`), done())));
    if (!child.stdout) throw new Error('the steward has no output');
    createInterface({ input: child.stdout }).on('line', (line) => this.take(line));
    void this.ended.then(() => {
      for (const { reject } of this.waiting.values())
        reject(new Error(`the steward of the cluster has ended (${how})`));
    });
  }

  /** Rejects with the cluster's own words. */
  call<T>(call: string, ...args: unknown[]): Promise<T> {
    const id = ++this.last;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.child.stdin?.write(`${JSON.stringify({ id, call, args })}\n`);
    });
  }

  /** Ends the cloud's processes; its services and what they hold stay. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }

  private take(line: string): void {
    const { id, value, error } = JSON.parse(line) as { id: number; value?: unknown; error?: string };
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}
