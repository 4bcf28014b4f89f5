import { controllersOfApi } from '@fractus/app-compute-api';
import { operationsOf, type Operation } from '@fractus/microversions';

/** Every operation that the Compute API declares, an action as `POST /servers/{server_id}/action pause`. */
export const computeOperations = (): readonly Operation[] => controllersOfApi().flatMap((c) => operationsOf(c));
