import { Module } from '@nestjs/common';
import { InstanceActionsRepository, ServersRepository } from '@fractus/compute-db';
import { InstanceActions } from '../../app/instance-actions/instance-actions';
import { useCase } from '../use-case';
import { InstanceActionsController } from './instance-actions.controller';

@Module({
  controllers: [InstanceActionsController],
  providers: [
    useCase(
      InstanceActions,
      ({ deps, enforcer }) =>
        new InstanceActions({
          servers: new ServersRepository(deps.database),
          actions: new InstanceActionsRepository(deps.database),
          isAdmin: (ctx) => enforcer.isAdmin(ctx),
        }),
    ),
  ],
})
export class InstanceActionsModule {}
