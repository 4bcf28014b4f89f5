import { Projects } from '../app/projects/projects';
import type { ApiParts } from '../parts';

/** The look-up of projects, for resources that remember ids of theirs. */
export const projectsOf = ({ deps }: ApiParts): Projects =>
  new Projects({ identity: deps.clients.identity, logger: deps.logger });
