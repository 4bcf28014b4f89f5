import { Module } from '@nestjs/common';
import { QuotaSetsModule } from '../quota-sets/quota-sets.module';
import { LimitsController } from './limits.controller';

@Module({ imports: [QuotaSetsModule], controllers: [LimitsController] })
export class LimitsModule {}
