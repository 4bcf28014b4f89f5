import { Module } from '@nestjs/common';
import { Quotas } from '../../app/quotas/quotas';
import { useCase } from '../use-case';
import { QuotaSetsController } from './quota-sets.controller';

@Module({
  controllers: [QuotaSetsController],
  providers: [
    useCase(
      Quotas,
      ({ quotaLimits, quotaUsages, keyPairs }) => new Quotas({ limits: quotaLimits, usages: quotaUsages, keyPairs }),
    ),
  ],
  exports: [Quotas],
})
export class QuotaSetsModule {}
