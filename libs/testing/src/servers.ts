/** The few steps that most stories about servers take, in one user's name. */
import type { ApiAnswer, CallOptions } from './api-client';
import type { CloudUser } from './cloud-user';
import { eventually } from './eventually';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
type Wire = any;

/** m1.nano of a new cloud: 1 VCPU, 128 MiB, 1 GiB. */
export const NANO = '42';
export const TINY = '1';

export interface BootOptions extends CallOptions {
  /** Members of the `server` object beside name, image and flavor. */
  server?: Record<string, unknown>;
  /** Members of the body beside `server`. */
  beside?: Record<string, unknown>;
}

export class Servers {
  private image: Promise<string> | undefined;
  private count = 0;

  constructor(readonly user: CloudUser) {}

  /** Id of the image that every new cloud has. */
  imageId(): Promise<string> {
    return (this.image ??= this.user.image.get('/images?name=cirros-sim').then((a) => a.body.images[0].id as string));
  }

  /** The body of POST /servers for a server without a network. */
  async body({ server = {}, beside = {} }: BootOptions = {}): Promise<Record<string, unknown>> {
    const base = { name: `server-${++this.count}`, imageRef: await this.imageId(), flavorRef: NANO, networks: 'none' };
    return { server: { ...base, ...server }, ...beside };
  }

  /** Sends the request (2.37 unless told) and gives the answer, whatever it is. */
  async request(options: BootOptions = {}): Promise<ApiAnswer<Wire>> {
    const { version = '2.37', headers = {} } = options;
    return this.user.compute.post('/servers', await this.body(options), { version, headers });
  }

  /** Asks for a server that must be accepted, and gives its id without waiting. */
  async create(options: BootOptions = {}): Promise<string> {
    const answer = await this.request(options);
    if (answer.status !== 202) throw new Error(`boot: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.server.id as string;
  }

  /** Boots a server and waits until it is ACTIVE. */
  async boot(options: BootOptions = {}): Promise<string> {
    const id = await this.create(options);
    await this.becomes(id, 'ACTIVE');
    return id;
  }

  async show(id: string, version = '2.104'): Promise<Wire> {
    const answer = await this.user.compute.get(`/servers/${id}`, { version });
    if (answer.status !== 200) throw new Error(`show ${id}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.server;
  }

  /** Waits for a status with no task under way; an ERROR on the way there is told with its fault. */
  async becomes(id: string, status: string): Promise<Wire> {
    let server: Wire;
    await eventually(`server ${id} is ${status}`, async () => {
      server = await this.show(id);
      if (server.status === status && server['OS-EXT-STS:task_state'] === null) return true;
      if (server.status === 'ERROR' && status !== 'ERROR')
        throw new Error(`server ${id} is in ERROR: ${JSON.stringify(server.fault)}`);
      return `${server.status}, task ${server['OS-EXT-STS:task_state']}`;
    });
    return server;
  }

  act(
    id: string,
    body: Record<string, unknown>,
    options: CallOptions = { version: '2.104' },
  ): Promise<ApiAnswer<Wire>> {
    return this.user.compute.post(`/servers/${id}/action`, body, options);
  }

  /** Performs an action that must be accepted and waits for the status it leads to. */
  async perform(id: string, body: Record<string, unknown>, status: string): Promise<Wire> {
    const answer = await this.act(id, body);
    if (answer.status !== 202)
      throw new Error(`${JSON.stringify(body)} on ${id}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return this.becomes(id, status);
  }

  async delete(...ids: string[]): Promise<void> {
    for (const id of ids) {
      const answer = await this.user.compute.delete(`/servers/${id}`);
      if (answer.status !== 204 && answer.status !== 404)
        throw new Error(`delete ${id}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await this.gone(...ids);
  }

  async gone(...ids: string[]): Promise<void> {
    for (const id of ids)
      await eventually(`server ${id} is gone`, async () => {
        const { status, body } = await this.user.compute.get(`/servers/${id}`);
        return status === 404 ? true : `${status} ${body?.server?.status ?? ''}`;
      });
  }
}
