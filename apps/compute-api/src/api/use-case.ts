import type { FactoryProvider, Type } from '@nestjs/common';
import { ApiParts } from '../parts';

/** Provides a class that knows nothing of Nest, made from the shared parts. */
export const useCase = <T>(
  type: Type<T> | (abstract new (...args: never[]) => T),
  make: (parts: ApiParts) => T,
): FactoryProvider<T> => ({
  provide: type,
  useFactory: make,
  inject: [ApiParts],
});
