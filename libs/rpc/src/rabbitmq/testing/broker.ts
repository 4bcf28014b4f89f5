import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { quiet } from '../../testing/fixture';
import type { RabbitOptions } from '../options';
import { createRabbitTransport, type RabbitTransport } from '../rabbit-transport';

const TOOL = resolve(__dirname, '../../../../../tools/services/rabbitmq.mjs');
const run = promisify(execFile);

/** Why there can be no broker here, or undefined. */
export const missing: string | undefined = (() => {
  const { status, stderr } = spawnSync(process.execPath, [TOOL, 'check'], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
})();

/** `describe`, or a skipped one that says why. */
export function describeWithBroker(name: string, body: (broker: TestBroker) => void): void {
  if (missing !== undefined) return describe.skip(`${name} (skipped: ${missing})`, () => body(new TestBroker()));
  describe(name, () => {
    const broker = new TestBroker();
    beforeAll(() => broker.start(), 180_000);
    afterAll(() => broker.remove(), 60_000);
    body(broker);
  });
}

/** A private RabbitMQ; each test uses a prefix of its own, and so finds it empty. */
export class TestBroker {
  url = '';
  private folder = '';
  private prefixes = 0;

  async start(): Promise<void> {
    this.folder ||= mkdtempSync(join(tmpdir(), 'fractus-rabbitmq-'));
    const { url } = await this.tool('start');
    this.url = url;
  }

  /** A clean end, as `systemctl stop` would make it. */
  async stop(): Promise<void> {
    await this.tool('stop');
  }

  /**
   * kill -9. RabbitMQ 3.10 notes a new quorum queue's log for good only seconds after it was declared; a queue whose
   * broker is killed before that is lost and never usable again. That is not what is tested here, so it is noted first.
   */
  async kill(): Promise<void> {
    await this.ctl('eval', '[dets:sync(T) || T <- dets:all()].');
    await this.tool('kill');
  }

  async remove(): Promise<void> {
    await run(process.execPath, [TOOL, 'remove', '--folder', this.folder]);
  }

  /** The URL of a user with all rights, made when it is new. */
  async user(name: string): Promise<string> {
    return (await this.tool('user', name)).url;
  }

  /** The URL of a user with the rights of the agent of that id. */
  async agent(id: string, prefix: string): Promise<string> {
    return (await this.tool('user', id, '--agent', prefix)).url;
  }

  async ctl(...args: string[]): Promise<string> {
    return (await run(process.execPath, [TOOL, 'ctl', '--folder', this.folder, '--', ...args])).stdout;
  }

  prefix(): string {
    return `t${process.pid}-${++this.prefixes}`;
  }

  transport(options: Partial<RabbitOptions> = {}): RabbitTransport {
    return createRabbitTransport({ urls: [this.url], logger: quiet, ...options });
  }

  private async tool(command: string, ...args: string[]): Promise<{ url: string }> {
    const { stdout } = await run(process.execPath, [TOOL, command, ...args, '--folder', this.folder]);
    return JSON.parse(stdout) as { url: string };
  }
}
