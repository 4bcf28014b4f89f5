import { Module } from '@nestjs/common';
import { QuotaSetsModule } from '../quota-sets/quota-sets.module';
import { QuotaClassSetsController } from './quota-class-sets.controller';

@Module({ imports: [QuotaSetsModule], controllers: [QuotaClassSetsController] })
export class QuotaClassSetsModule {}
