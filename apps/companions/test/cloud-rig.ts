/** All companions on free ports, wired as the embedded cloud wires them. */
import { join } from 'node:path';
import { ImageClient, NetworkClient, ServiceSession, TokenValidator, VolumeClient } from '@fractus/clients';
import { createMetrics, silentLogger } from '@fractus/telemetry';
import {
  startImage,
  startNetwork,
  startVolume,
  type RunningImage,
  type RunningNetwork,
  type RunningVolume,
} from '../src/app.module';
import { call, IdentityRig, type Answer } from './identity-rig';

export class CloudRig {
  image: RunningImage;
  network: RunningNetwork;
  volume: RunningVolume;
  tokens: TokenValidator;
  session: ServiceSession;
  images: ImageClient;
  networks: NetworkClient;
  volumes: VolumeClient;
  admin: string;
  demo: string;
  projects: Record<'admin' | 'demo', string>;

  private constructor(readonly rig: IdentityRig) {}

  static async start(newUrl: () => Promise<string>): Promise<CloudRig> {
    const cloud = new CloudRig(await IdentityRig.start(newUrl));
    const { identity } = cloud.rig;
    cloud.tokens = new TokenValidator({
      authUrl: identity.url,
      onRevocation: (listener) => identity.onRevocation(listener),
    });
    cloud.session = new ServiceSession({
      authUrl: identity.url,
      credentials: { username: 'nova', password: 'nova-secret', projectName: 'service' },
    });
    cloud.images = new ImageClient({ session: cloud.session });
    await cloud.open();
    await cloud.rig.bootstrap({
      image: cloud.image.url,
      network: cloud.network.url,
      'block-storage': `${cloud.volume.url}/v3`,
    });
    cloud.networks = new NetworkClient({ session: cloud.session });
    cloud.volumes = new VolumeClient({ session: cloud.session });
    [cloud.admin, cloud.demo] = [await cloud.rig.token('admin', 'admin'), await cloud.rig.token('demo', 'demo')];
    const idOf = async (token: string): Promise<string> => (await cloud.tokens.validate(token)).projectId!;
    cloud.projects = { admin: await idOf(cloud.admin), demo: await idOf(cloud.demo) };
    await cloud.image.seed({ name: 'cirros-sim', owner: cloud.projects.admin });
    await cloud.network.seed({ name: 'private', projectId: cloud.projects.admin, cidr: '10.0.0.0/22', shared: true });
    await cloud.network.seed({
      name: 'public',
      projectId: cloud.projects.admin,
      cidr: '172.24.4.0/24',
      external: true,
    });
    return cloud;
  }

  async open(): Promise<void> {
    const deps = {
      validate: (token: string) => this.tokens.validate(token),
      logger: silentLogger(),
      metrics: createMetrics(),
    };
    const at = async (name: string) => ({
      host: '127.0.0.1',
      port: 0,
      publicUrl: '',
      databaseUrl: await this.rig.databaseOf(name),
    });
    const dataFolder = join(this.rig.folder, 'images');
    this.image = await startImage({
      ...deps,
      config: { ...(await at('image')), dataFolder, maxImageSize: 4 * 2 ** 20 },
    });
    this.network = await startNetwork({ ...deps, config: await at('network') });
    this.volume = await startVolume({ ...deps, images: this.images, config: await at('volume') });
  }

  onImage<T = Record<string, never>>(
    method: string,
    path: string,
    options: Parameters<typeof call>[2] = {},
  ): Promise<Answer<T>> {
    return call(method, `${this.image.url}/v2${path}`, { token: this.demo, ...options });
  }

  onNetwork<T = Record<string, never>>(
    method: string,
    path: string,
    json?: unknown,
    token = this.demo,
  ): Promise<Answer<T>> {
    return call(method, `${this.network.url}/v2.0${path}`, { token, ...(json === undefined ? {} : { json }) });
  }

  onVolume<T = Record<string, never>>(
    method: string,
    path: string,
    json?: unknown,
    { token = this.demo, version = '3.71' }: { token?: string; version?: string } = {},
  ): Promise<Answer<T>> {
    const headers = { 'openstack-api-version': `volume ${version}` };
    return call(method, `${this.volume.url}/v3${path}`, { token, headers, ...(json === undefined ? {} : { json }) });
  }

  async close(): Promise<void> {
    this.tokens.close();
    await this.volume.close();
    await this.image.close();
    await this.network.close();
    await this.rig.close();
  }
}
