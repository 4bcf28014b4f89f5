import { Module } from '@nestjs/common';
import { KeyPairs } from '../../app/key-pairs/key-pairs';
import { useCase } from '../use-case';
import { KeyPairsController } from './key-pairs.controller';

@Module({
  controllers: [KeyPairsController],
  providers: [useCase(KeyPairs, ({ keyPairs }) => new KeyPairs({ keyPairs, now: Date.now }))],
})
export class KeyPairsModule {}
