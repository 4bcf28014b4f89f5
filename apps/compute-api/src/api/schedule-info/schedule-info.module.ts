import { Module } from '@nestjs/common';
import { ScheduleAttemptsRepository, ServersRepository } from '@fractus/compute-db';
import { ScheduleInfo } from '../../app/schedule-info/schedule-info';
import { useCase } from '../use-case';
import { DryRunParts } from './dry-run-parts';
import { ScheduleInfoController } from './schedule-info.controller';

@Module({
  controllers: [ScheduleInfoController],
  providers: [
    useCase(
      ScheduleInfo,
      ({ deps, enforcer }) =>
        new ScheduleInfo({
          servers: new ServersRepository(deps.database),
          attempts: new ScheduleAttemptsRepository(deps.database),
          isAdmin: (ctx) => enforcer.isAdmin(ctx),
        }),
    ),
    useCase(DryRunParts, (parts) => new DryRunParts(parts)),
  ],
})
export class ScheduleInfoModule {}
