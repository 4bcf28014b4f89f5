import { Module } from '@nestjs/common';
import { Flavors } from '../../app/flavors/flavors';
import { useCase } from '../use-case';
import { FlavorAccessController } from './flavor-access.controller';
import { FlavorExtraSpecsController } from './flavor-extra-specs.controller';
import { FlavorsController } from './flavors.controller';

@Module({
  controllers: [FlavorsController, FlavorExtraSpecsController, FlavorAccessController],
  providers: [
    useCase(
      Flavors,
      ({ flavors, enforcer }) => new Flavors({ flavors, isAdmin: (ctx) => enforcer.isAdmin(ctx), now: Date.now }),
    ),
  ],
  exports: [Flavors],
})
export class FlavorsModule {}
