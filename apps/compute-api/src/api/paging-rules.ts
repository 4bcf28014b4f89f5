import { NumericString, Optional, All } from '@fractus/dto-schema';
import { Parameters, TextParameters } from '@fractus/microversions';

/** `limit` of lists: how many items at most. */
export const LimitParameter = (): PropertyDecorator =>
  All(Optional(), Parameters(NumericString({ min: 0, pattern: '^[0-9]*$', minLength: 1 })));

/** A text parameter that may be left out or repeated (the last one counts): `marker`, most filters. */
export const TextParameter = (): PropertyDecorator => All(Optional(), TextParameters());
