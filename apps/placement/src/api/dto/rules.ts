/** Shapes that several bodies share. Patterns and bounds are upstream's. */
import { MaxLength, MinLength } from 'class-validator';
import { All, MapOf, Pattern, type Shape } from '@fractus/dto-schema';

export const UUID_KEY = '^[0-9a-fA-F-]{36}$';
export const CLASS_KEY = '^[A-Z0-9_]+$';
/** Nothing is larger than this: a signed 32-bit column upstream. */
export const MAX_INT = 2147483647;
export const MAX_RATIO = 3.40282e38;

export const Name255 = (): PropertyDecorator => All(MinLength(1), MaxLength(255));
export const CustomName = (): PropertyDecorator => All(Pattern('^CUSTOM_[A-Z0-9_]+$'), MaxLength(255));
/** Resource class → whole units, at least one of one. */
export const Resources = (): PropertyDecorator =>
  MapOf({ type: 'integer', minimum: 1 }, { key: CLASS_KEY, minProperties: 1 });
/** An object by uuid. */
export const ByUuid = (shape: Shape, minProperties?: number): PropertyDecorator =>
  MapOf(shape, { key: UUID_KEY, ...(minProperties === undefined ? {} : { minProperties }) });
