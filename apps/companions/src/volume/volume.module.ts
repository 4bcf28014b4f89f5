/** The volume service put together. */
import { Module, type DynamicModule } from '@nestjs/common';
import type { ImageClient } from '@fractus/clients';
import { openDatabase, type Database } from '@fractus/database';
import { createHttpApp, type TokenValidator } from '@fractus/http';
import type { Logger, Metrics, RunningService } from '@fractus/telemetry';
import { readiness } from '../readiness';
import { Attachments } from './attachments';
import { AttachmentsController } from './attachments.controller';
import { installVersions, PUBLIC_PATHS, VolumeVersionsController, withoutProject } from './volume-versions';
import { VolumeTypes } from './volume-types';
import { VolumeTypesController } from './volume-types.controller';
import type { VolumeConfig } from './volume.config';
import { volumeFaultMapper } from './volume.faults';
import { VOLUME_MIGRATIONS } from './volume.migrations';
import { Volumes } from './volumes';
import { VolumesController } from './volumes.controller';

export interface VolumeDeps {
  config: VolumeConfig;
  /** Checks users' tokens. */
  validate: TokenValidator;
  /** For `WWW-Authenticate`. */
  identityUri?: string;
  /** What volumes are made from. */
  images: Pick<ImageClient, 'show'>;
  logger: Logger;
  metrics: Metrics;
}

export interface RunningVolume extends RunningService {
  readonly url: string;
}

@Module({})
class VolumeModule {}

export async function startVolume(deps: VolumeDeps): Promise<RunningVolume> {
  const db = await openDatabase({ url: deps.config.databaseUrl, entities: [], migrations: VOLUME_MIGRATIONS });
  try {
    return await serve(db, deps);
  } catch (e) {
    await db.close();
    throw e;
  }
}

async function serve(
  db: Database,
  { config, validate, identityUri, images, logger, metrics }: VolumeDeps,
): Promise<RunningVolume> {
  const types = new VolumeTypes(db);
  await types.ensureDefault();
  const ready = () => readiness(db);
  const http = await createHttpApp(moduleOf(types, new Volumes(db, types, images), new Attachments(db)), {
    service: 'volume',
    logger,
    metrics,
    faultMapper: volumeFaultMapper,
    ready,
    ignoreTrailingSlash: true,
    rewriteUrl: withoutProject,
    ...(config.publicUrl ? { publicUrl: config.publicUrl } : {}),
    tokens: { validate, publicPaths: PUBLIC_PATHS, ...(identityUri ? { identityUri } : {}) },
  });
  installVersions(http.fastify);
  const url = await http.listen(config.host, config.port);
  return {
    name: 'volume',
    url: config.publicUrl || url,
    ready,
    close: async () => {
      await http.close();
      await db.close();
    },
  };
}

function moduleOf(types: VolumeTypes, volumes: Volumes, attachments: Attachments): DynamicModule {
  return {
    module: VolumeModule,
    controllers: [VolumeVersionsController, VolumesController, VolumeTypesController, AttachmentsController],
    providers: [
      { provide: VolumeTypes, useValue: types },
      { provide: Volumes, useValue: volumes },
      { provide: Attachments, useValue: attachments },
    ],
  };
}
