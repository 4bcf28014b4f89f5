import { Module } from '@nestjs/common';
import { Projects } from '../../app/projects/projects';
import { Quotas } from '../../app/quotas/quotas';
import { projectsOf } from '../projects';
import { useCase } from '../use-case';
import { QuotaSetsController } from './quota-sets.controller';

@Module({
  controllers: [QuotaSetsController],
  providers: [
    useCase(Projects, projectsOf),
    useCase(
      Quotas,
      ({ quotaLimits, quotaUsages, keyPairs }) => new Quotas({ limits: quotaLimits, usages: quotaUsages, keyPairs }),
    ),
  ],
  exports: [Quotas],
})
export class QuotaSetsModule {}
