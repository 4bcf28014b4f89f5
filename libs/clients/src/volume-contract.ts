/** What compute relies on of a volume service, as cases like those of `CLIENT_CONTRACT`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isFractusError, type ErrorKind, type RequestContext } from '@fractus/objects';
import { contextOfToken } from './identity-token';
import type { TokenValidator } from './token-validator';
import type { VolumeClient } from './volume-client';

export interface VolumeContractEnvironment {
  volumes: VolumeClient;
  tokens: TokenValidator;
  /** A token of a user with the role member, and none of admin, on some project. */
  userToken(): Promise<string>;
  /** An active image that the user sees. */
  imageId: string;
  /** A volume type whose volumes may be attached more than once. */
  multiattachType: string;
}

export interface VolumeContractCase {
  readonly name: string;
  run(env: VolumeContractEnvironment): Promise<void>;
}

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const CONNECTOR = { host: 'contract-host', ip: '127.0.0.1', initiator: 'iqn.contract', multipath: false };

export const VOLUME_CONTRACT: readonly VolumeContractCase[] = [
  {
    name: 'volume: one made from an image is bootable and remembers the image; another project does not see it',
    async run(env) {
      const { ctx, as } = await user(env);
      const made = await env.volumes.create(ctx, { name: 'contract', size: 1, imageId: env.imageId }, as);
      try {
        const volume = await settled(env, ctx, made.id, 'available');
        assert.deepEqual([volume.bootable, volume.multiattach, volume.size], [true, false, 1]);
        assert.equal(volume.imageMetadata['image_id'], env.imageId);
        assert.equal(volume.projectId, ctx.projectId);
        await refused('not_found', env.volumes.show({ ...ctx, projectId: NOWHERE.replace(/-/g, '') }, made.id));
        await refused('not_found', env.volumes.show(ctx, NOWHERE));
      } finally {
        await env.volumes.delete(ctx, made.id, as);
      }
    },
  },
  {
    name: 'volume: an attachment reserves, connects and completes; a second server is refused; deletion frees',
    async run(env) {
      const { ctx, as } = await user(env);
      const { id: volumeId } = await env.volumes.create(ctx, { name: 'contract', size: 1 }, as);
      const serverId = randomUUID();
      await settled(env, ctx, volumeId, 'available');
      const attachment = await env.volumes.createAttachment(ctx, { volumeId, serverId });
      try {
        assert.equal(attachment.status, 'reserved');
        assert.equal((await env.volumes.show(ctx, volumeId)).status, 'reserved');
        await refused('invalid', env.volumes.createAttachment(ctx, { volumeId, serverId: randomUUID() }));
        const connected = await env.volumes.updateAttachment(ctx, attachment.id, CONNECTOR);
        assert.ok(connected.connectionInfo?.['driver_volume_type']);
        await env.volumes.completeAttachment(ctx, attachment.id);
        const used = await env.volumes.show(ctx, volumeId);
        assert.deepEqual([used.status, used.attachments.map((a) => a.serverId)], ['in-use', [serverId]]);
        const found = await env.volumes.listAttachments(ctx, { serverId });
        assert.deepEqual(
          found.map((a) => [a.id, a.volumeId, a.status]),
          [[attachment.id, volumeId, 'attached']],
        );
      } finally {
        await env.volumes.deleteAttachment(ctx, attachment.id);
        await env.volumes.deleteAttachment(ctx, attachment.id);
        await settled(env, ctx, volumeId, 'available');
        await env.volumes.delete(ctx, volumeId, as);
      }
      assert.deepEqual(await env.volumes.listAttachments(ctx, { serverId }), []);
    },
  },
  {
    name: 'volume: a multiattach volume has two servers, and is in use until both let go',
    async run(env) {
      const { ctx, as } = await user(env);
      const made = await env.volumes.create(ctx, { name: 'contract', size: 1, type: env.multiattachType }, as);
      const volumeId = made.id;
      assert.equal((await settled(env, ctx, volumeId, 'available')).multiattach, true);
      const ids: string[] = [];
      try {
        for (const serverId of [randomUUID(), randomUUID()]) {
          const { id } = await env.volumes.createAttachment(ctx, { volumeId, serverId, connector: CONNECTOR });
          ids.push(id);
          await env.volumes.completeAttachment(ctx, id);
        }
        await env.volumes.deleteAttachment(ctx, ids[0] ?? '');
        await settled(env, ctx, volumeId, 'in-use');
      } finally {
        for (const id of ids) await env.volumes.deleteAttachment(ctx, id);
        await settled(env, ctx, volumeId, 'available');
        await env.volumes.delete(ctx, volumeId, as);
      }
    },
  },
];

async function user({ tokens, userToken }: VolumeContractEnvironment) {
  const token = await userToken();
  const ctx: RequestContext = {
    requestId: 'req-00000000-0000-4000-8000-000000000002',
    deadline: Date.now() + 60_000,
    ...contextOfToken(await tokens.validate(token)),
  };
  return { ctx, as: { token } };
}

/** A real service takes its time: asks until the volume is as wanted, or the deadline passes. */
async function settled({ volumes }: VolumeContractEnvironment, ctx: RequestContext, id: string, status: string) {
  for (;;) {
    const volume = await volumes.show(ctx, id);
    if (volume.status === status || volume.status.startsWith('error')) {
      assert.equal(volume.status, status);
      return volume;
    }
  }
}

async function refused(kind: ErrorKind, attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (e) => {
    assert.ok(isFractusError(e, kind), `expected ${kind}, got ${String(e)}`);
    return true;
  });
}
