/** The image service put together. */
import { Readable } from 'node:stream';
import { Module, type DynamicModule } from '@nestjs/common';
import { openDatabase, type Database } from '@fractus/database';
import { createHttpApp, type TokenValidator } from '@fractus/http';
import { systemContext } from '@fractus/objects';
import type { Logger, Metrics, RunningService } from '@fractus/telemetry';
import { readiness } from '../readiness';
import { ImageDataController, DATA_TYPE } from './image-data.controller';
import { ImageMembers } from './image-members';
import { ImageMembersController } from './image-members.controller';
import { ImageStore } from './image-store';
import type { ImageConfig } from './image.config';
import { imageFaultMapper } from './image.faults';
import { IMAGE_MIGRATIONS } from './image.migrations';
import { Images } from './images';
import { ImagesController, ImageVersionsController, PATCH_TYPES } from './images.controller';

export interface ImageDeps {
  config: ImageConfig;
  /** Checks users' tokens. */
  validate: TokenValidator;
  /** For `WWW-Authenticate`. */
  identityUri?: string;
  logger: Logger;
  metrics: Metrics;
}

export interface SeedImage {
  name: string;
  /** The project that owns it. */
  owner: string | null;
  /** Default 1 MiB. */
  bytes?: Buffer;
}

export interface RunningImage extends RunningService {
  readonly url: string;
  /** Makes a public, active image of this name unless there is one. */
  seed(image: SeedImage): Promise<void>;
}

@Module({})
class ImageModule {}

export async function startImage(deps: ImageDeps): Promise<RunningImage> {
  const db = await openDatabase({ url: deps.config.databaseUrl, entities: [], migrations: IMAGE_MIGRATIONS });
  try {
    return await serve(db, deps);
  } catch (e) {
    await db.close();
    throw e;
  }
}

async function serve(
  db: Database,
  { config, validate, identityUri, logger, metrics }: ImageDeps,
): Promise<RunningImage> {
  const store = await ImageStore.open(config.dataFolder, config.maxImageSize, (file, err) =>
    logger.warn({ err, file }, 'the file of a deleted image could not be removed; it is at the next start'),
  );
  const images = new Images(db, store);
  await images.recover();
  const ready = () => readiness(db);
  const http = await createHttpApp(moduleOf(images, new ImageMembers(db, images)), {
    service: 'image',
    logger,
    metrics,
    faultMapper: imageFaultMapper,
    ready,
    ignoreTrailingSlash: true,
    // an upload takes as long as it takes
    requestTimeout: 0,
    body: { jsonTypes: ['application/json', ...PATCH_TYPES], rawTypes: [DATA_TYPE] },
    ...(config.publicUrl ? { publicUrl: config.publicUrl } : {}),
    tokens: { validate, publicPaths: ['/', '/versions', '/v2', '/v2/'], ...(identityUri ? { identityUri } : {}) },
  });
  const url = await http.listen(config.host, config.port);
  return {
    name: 'image',
    url: config.publicUrl || url,
    ready,
    seed: (image) => seed(db, images, image),
    close: async () => {
      await http.close();
      await db.close();
    },
  };
}

function moduleOf(images: Images, members: ImageMembers): DynamicModule {
  return {
    module: ImageModule,
    controllers: [ImageVersionsController, ImageDataController, ImageMembersController, ImagesController],
    providers: [
      { provide: Images, useValue: images },
      { provide: ImageMembers, useValue: members },
    ],
  };
}

async function seed(db: Database, images: Images, { name, owner, bytes }: SeedImage): Promise<void> {
  const ctx = systemContext('req-seed-image');
  const [known] = await db.query<{ id: string; status: string }>('SELECT id, status FROM images WHERE name = ?', [
    name,
  ]);
  if (known && known.status !== 'queued') return;
  const fresh = {
    name,
    owner,
    visibility: 'public',
    disk_format: 'raw',
    container_format: 'bare',
    min_disk: 0,
    min_ram: 0,
  } as const;
  const id = known?.id ?? (await images.create(ctx, fresh)).id;
  await images.upload(ctx, id, Readable.from([bytes ?? Buffer.alloc(2 ** 20, `${name}\n`)]));
}
