import { Module } from '@nestjs/common';
import { Flavors } from '../../app/flavors/flavors';
import type { ApiParts } from '../../parts';
import { projectsOf } from '../projects';
import { useCase } from '../use-case';
import { FlavorAccessController } from './flavor-access.controller';
import { FlavorExtraSpecsController } from './flavor-extra-specs.controller';
import { FlavorsController } from './flavors.controller';

const flavorsOf = (parts: ApiParts): Flavors =>
  new Flavors({
    flavors: parts.flavors,
    isAdmin: (ctx) => parts.enforcer.isAdmin(ctx),
    projects: projectsOf(parts),
    now: Date.now,
  });

@Module({
  controllers: [FlavorsController, FlavorExtraSpecsController, FlavorAccessController],
  providers: [useCase(Flavors, flavorsOf)],
  exports: [Flavors],
})
export class FlavorsModule {}
