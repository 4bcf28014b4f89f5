/** Servers asked for by a client that tries again, and what became of them. */
import { eventually, NANO, Patience, pause, Servers, type CloudUser } from '@fractus/testing';

export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly fault?: { readonly message: string; readonly details?: string };
  readonly 'OS-EXT-STS:task_state': string | null;
  readonly 'OS-EXT-SRV-ATTR:host': string | null;
}

export class Boots {
  readonly patience = new Patience();
  /** Names of servers that were accepted. */
  readonly accepted: string[] = [];
  /** Requests that may have been carried out although no answer came. */
  doubtful = 0;
  private readonly servers: Servers;

  constructor(private readonly user: CloudUser) {
    this.servers = new Servers(user);
  }

  /** Reads what every boot needs, once. */
  async prepare(): Promise<void> {
    await this.servers.imageId();
  }

  /**
   * Boots one server on the project's network. Where a request was cut off it looks first whether the server is there:
   * names are this client's own, so nothing is asked for twice unless the look itself came too early.
   */
  async boot(name: string, metadata: Record<string, string> = {}): Promise<void> {
    const options = { server: { name, networks: 'auto', metadata, flavorRef: NANO } };
    for (;;) {
      const met = await this.patience.once(`boot of ${name}`, () => this.servers.request(options));
      if ('answer' in met) {
        if (met.answer.status !== 202)
          throw new Error(`boot of ${name}: ${met.answer.status} ${JSON.stringify(met.answer.body)}`);
        break;
      }
      await pause(met.pauseMs);
      if (!met.perhapsDone) continue;
      this.doubtful++;
      if ((await this.named(name)).length > 0) break;
    }
    this.accepted.push(name);
  }

  async all(): Promise<Shown[]> {
    const found: Shown[] = [];
    for (;;) {
      const marker = found.length > 0 ? `&marker=${found.at(-1)?.id ?? ''}` : '';
      const { status, body } = await this.patience.ask('list', () =>
        this.user.compute.get(`/servers/detail?limit=500${marker}`, { version: '2.104' }),
      );
      if (status !== 200) throw new Error(`list: ${status} ${JSON.stringify(body)}`);
      found.push(...(body.servers as Shown[]));
      if (body.servers.length < 500) return found;
    }
  }

  /** Waits until every server is ACTIVE or in ERROR with nothing under way, and gives them all. */
  async settled(boundMs: number): Promise<Shown[]> {
    let servers: Shown[] = [];
    const isSettled = (s: Shown): boolean =>
      s['OS-EXT-STS:task_state'] === null && ['ACTIVE', 'ERROR'].includes(s.status);
    await eventually(
      'every server has settled',
      async () => {
        servers = await this.all();
        const moving = servers.filter((s) => !isSettled(s));
        if (moving.length === 0) return true;
        const some = moving.slice(0, 5).map((s) => `${s.name} ${s.id} ${s.status}/${s['OS-EXT-STS:task_state']}`);
        return `${moving.length} of ${servers.length} have not: ${some.join(', ')}`;
      },
      boundMs,
      250,
    );
    return servers;
  }

  /** Deletes all servers, and waits until each is answered with 404. */
  async deleteAll(servers: readonly Shown[], boundMs = 120_000): Promise<void> {
    const wide = 10;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let s = servers[next++]; s; s = servers[next++]) await this.remove(s.id, boundMs);
    };
    await Promise.all(Array.from({ length: wide }, lane));
  }

  private async remove(id: string, boundMs: number): Promise<void> {
    const { status, body } = await this.patience.ask('delete', () => this.user.compute.delete(`/servers/${id}`));
    if (status !== 204 && status !== 404) throw new Error(`delete of ${id}: ${status} ${JSON.stringify(body)}`);
    await eventually(
      `server ${id} is gone`,
      async () => {
        const answer = await this.patience.ask('show', () => this.user.compute.get(`/servers/${id}`));
        return answer.status === 404 ? true : `${answer.status} ${answer.body?.server?.status}`;
      },
      boundMs,
      200,
    );
  }

  private async named(name: string): Promise<Shown[]> {
    const { body } = await this.patience.ask('list by name', () =>
      this.user.compute.get(`/servers?name=${encodeURIComponent(`^${name}$`)}`),
    );
    return body.servers as Shown[];
  }
}
