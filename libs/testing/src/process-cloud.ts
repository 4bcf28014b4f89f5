/** The cloud as its users run it: a process of its own, which can be killed without warning and started again. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readLedger, type LedgerEntry } from '@fractus/virt-simulated';
import { CloudUser, type ServiceUrls } from './cloud-user';
import { freePortBase, PORT_OFFSETS } from './ports';

const ROOT = resolve(__dirname, '../../..');

/** Bundles the cloud unless that was done since the last change, and gives the bundle's path. */
function buildCloud(): string {
  const checks = pathToFileURL(join(ROOT, 'tools/start/checks.mjs')).href;
  const script = `import(${JSON.stringify(checks)}).then((m) => console.log(m.ensureBuilt('cloud')))`;
  return (
    execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n').at(-1) ?? ''
  );
}

export interface ProcessCloudOptions {
  hosts: number;
  args?: readonly string[];
}

export class ProcessCloud {
  readonly admin = this.user('admin', 'adminPassword');
  readonly demo = this.user('demo', 'demoPassword');
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private output = '';

  private constructor(
    readonly stateDir: string,
    private readonly bundle: string,
    private readonly base: number,
    private readonly options: ProcessCloudOptions,
  ) {}

  /** A cloud in a folder of its own that is not running yet. */
  static async prepare(options: ProcessCloudOptions): Promise<ProcessCloud> {
    // a copy of its own: every start runs the same code, whoever builds meanwhile
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'tmp', 'bundle-'));
    cpSync(dirname(buildCloud()), folder, { recursive: true });
    const stateDir = mkdtempSync(join(tmpdir(), 'fractus-process-'));
    return new ProcessCloud(stateDir, join(folder, 'main.js'), await freePortBase(), options);
  }

  get urls(): ServiceUrls {
    const entries = Object.entries(PORT_OFFSETS).map(([name, offset]) => [
      name,
      `http://127.0.0.1:${this.base + offset}`,
    ]);
    return Object.fromEntries(entries) as unknown as ServiceUrls;
  }

  ledger(): LedgerEntry[] {
    return readLedger(join(this.stateDir, 'agent', 'simulated'));
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts the process; does not wait until it is ready. */
  launch(): void {
    const { hosts, args = [] } = this.options;
    const all = ['--state-dir', this.stateDir, '--port-base', String(this.base), '--hosts', String(hosts), ...args];
    const child = spawn(process.execPath, ['--enable-source-maps', this.bundle, ...all], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise((done) => child.once('exit', () => done()));
  }

  /** Resolves with the milliseconds that went by once the process has said that it is ready; rejects if it ends before. */
  async ready(): Promise<number> {
    const { child } = this;
    const began = performance.now();
    await new Promise<void>((done, failed) => {
      const look = (): void => {
        if (/\bis ready\b/.test(this.output)) done();
      };
      child?.stdout?.on('data', look);
      void this.ended.then(() => failed(new Error(`the cloud ended before it was ready:\n${this.output}`)));
      look();
    });
    return performance.now() - began;
  }

  async start(): Promise<number> {
    this.launch();
    return this.ready();
  }

  /** Ends it, `SIGKILL` without giving it a chance to put anything in order. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.child?.kill(signal);
    await this.ended;
    this.child = undefined;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    for (const folder of [this.stateDir, dirname(this.bundle)]) rmSync(folder, { recursive: true, force: true });
  }

  private user(name: string, secret: string): CloudUser {
    const password = (): string => {
      const secrets = JSON.parse(readFileSync(join(this.stateDir, 'secrets.json'), 'utf8')) as Record<string, string>;
      return secrets[secret] ?? '';
    };
    return new CloudUser({
      urls: () => this.urls,
      who: {
        name,
        project: name,
        get password() {
          return password();
        },
      },
      contract: null,
    });
  }
}
