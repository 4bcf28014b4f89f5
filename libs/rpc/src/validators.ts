import { compileDto } from '@fractus/dto-schema';
import type { DtoClass } from '@fractus/rpc-contracts';

export interface Validator<T> {
  /** Throws `invalid`. */
  parse(value: unknown): T;
}

const compiled = new WeakMap<DtoClass<unknown>, Validator<unknown>>();

/** The validator of a DTO class, compiled once in the life of the process. */
export function validatorOf<T>(dto: DtoClass<T>): Validator<T> {
  let v = compiled.get(dto);
  if (!v) compiled.set(dto, (v = compileDto(dto)));
  return v as Validator<T>;
}
