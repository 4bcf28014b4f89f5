import { apiDecorators } from '@fractus/microversions';
import type { Flags } from '@fractus/microversions';
import type { NovaFlag } from './versions';

/**
 * The decorators of this API's controllers. `Api` makes a method an operation, `ApiActions` one that serves a registry
 * of actions. What they check and in which order stands in `@fractus/microversions`.
 */
export const { Api, ApiActions } = apiDecorators<NovaFlag>();

/** Named behaviours of the version asked for; third parameter of a handler. */
export type NovaFlags = Flags<NovaFlag>;
export type { ApiRequest } from '@fractus/microversions';
