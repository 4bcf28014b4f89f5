/** A whole cloud inside the test's process: real services on real ports over a state folder of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCloud, type CloudPlan, type RunningCloud } from '@fractus/app-cloud';
import { readLedger, type LedgerEntry } from '@fractus/virt-simulated';
import { CloudUser, makeUser, type Credentials, type NewUser, type ServiceUrls } from './cloud-user';
import { eventually } from './eventually';
import { NovaContract } from './nova-contract';
import { freePorts } from './ports';
import { STORY_ENV, type StoryCloud, type StoryCloudOptions } from './story-cloud';

export interface TestCloudOptions extends StoryCloudOptions {
  /** Keep the log in the state folder; for a test that is being debugged. */
  log?: boolean;
}

const SECRETS = {
  adminPassword: 'test-admin-secret',
  demoPassword: 'test-demo-secret',
  servicePassword: 'test-service-secret',
};

export class TestCloud implements StoryCloud {
  readonly admin = this.user({ name: 'admin', password: SECRETS.adminPassword, project: 'admin' });
  readonly demo = this.user({ name: 'demo', password: SECRETS.demoPassword, project: 'demo' });
  private running: RunningCloud | undefined;

  private constructor(
    readonly stateDir: string,
    private readonly plan: CloudPlan,
    /** Operations of the Compute API that were answered with success, by name. */
    readonly served: ReadonlySet<string>,
  ) {}

  static async start({ hosts = 3, simProfile = 'instant', env, log }: TestCloudOptions = {}): Promise<TestCloud> {
    const stateDir = mkdtempSync(join(tmpdir(), 'fractus-test-'));
    for (const name of ['databases', 'images', 'agent', 'logs', 'keys']) mkdirSync(join(stateDir, name));
    const [identity, image, network, placement, compute] = await freePorts(5);
    const served = new Set<string>();
    const plan: CloudPlan = {
      file: (...parts) => join(stateDir, ...parts),
      secrets: SECRETS,
      bind: '127.0.0.1',
      ports: { identity, image, network, placement, compute } as CloudPlan['ports'],
      hosts,
      simProfile,
      logLevel: 'info',
      ...(log ? { logFile: join(stateDir, 'logs', 'fractus.log') } : {}),
      env: { ...STORY_ENV, ...env },
      observe: ({ operation, status }) => void (status < 400 && served.add(operation)),
    };
    const cloud = new TestCloud(stateDir, plan, served);
    await cloud.up();
    return cloud;
  }

  get cloud(): RunningCloud {
    if (!this.running) throw new Error('the test cloud is not running');
    return this.running;
  }

  get urls(): ServiceUrls {
    const entries = Object.entries(this.cloud.urls).map(([name, url]) => [name, url.replace(/\/$/, '')]);
    return Object.fromEntries(entries) as unknown as ServiceUrls;
  }

  async newUser(user: NewUser): Promise<CloudUser> {
    return this.user(await makeUser(this.admin, user));
  }

  user(who: Credentials): CloudUser {
    return new CloudUser({ urls: () => this.urls, who, contract: NovaContract.load() });
  }

  ledger(): LedgerEntry[] {
    return readLedger(join(this.stateDir, 'agent', 'simulated'));
  }

  async restart(): Promise<void> {
    await this.cloud.close();
    this.running = undefined;
    await this.up();
  }

  async close(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  private async up(): Promise<void> {
    this.running = await startCloud(this.plan);
    await eventually('every service is ready', async () => {
      const waiting = (await this.cloud.ready()).filter((c) => !c.ok);
      return waiting.length === 0 ? true : waiting.map((c) => `${c.part}: ${c.why ?? ''}`).join(', ');
    });
  }
}
