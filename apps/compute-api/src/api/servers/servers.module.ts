import { Module } from '@nestjs/common';
import { useCase } from '../use-case';
import { ServerParts } from './server-parts';
import { ServersController } from './servers.controller';

@Module({ controllers: [ServersController], providers: [useCase(ServerParts, (parts) => new ServerParts(parts))] })
export class ServersModule {}
