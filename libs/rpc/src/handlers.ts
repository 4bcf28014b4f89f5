import { Controller } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { Contract, Handlers } from '@fractus/rpc-contracts';

const CONTRACTS = Symbol('fractus.rpc.contracts');

type HandlerClass<C extends Contract> = abstract new (...args: never[]) => Handlers<C>;

export const patternOf = (contract: Contract, method: string): string => `${contract.topic}.${method}`;

/**
 * Declares a Nest controller to be the handler of every method of a contract:
 *
 *     @RpcHandlers(schedulerContract)
 *     export class SelectController implements Handlers<typeof schedulerContract> { … }
 *
 * A missing or mistyped method does not compile. A class may serve several contracts.
 */
export function RpcHandlers<C extends Contract>(contract: C) {
  return <T extends HandlerClass<C>>(target: T): void => {
    Controller()(target);
    const proto = target.prototype as object;
    for (const [method, spec] of Object.entries(contract.methods)) {
      const descriptor = methodDescriptor(proto, method);
      if (!descriptor) throw new TypeError(`${target.name} has no method ${method} of the contract ${contract.topic}`);
      const pattern = patternOf(contract, method);
      (spec.kind === 'call' ? MessagePattern(pattern) : EventPattern(pattern))(proto, method, descriptor);
    }
    const earlier = contractsOf(target);
    Reflect.defineMetadata(CONTRACTS, [...earlier, contract], target);
  };
}

/** The contracts that a class handles; empty for any other class. */
export function contractsOf(target: object): readonly Contract[] {
  return (Reflect.getOwnMetadata(CONTRACTS, target) as Contract[] | undefined) ?? [];
}

function methodDescriptor(proto: object, method: string): TypedPropertyDescriptor<unknown> | undefined {
  for (let p: object | null = proto; p && p !== Object.prototype; p = Object.getPrototypeOf(p) as object | null) {
    const d = Object.getOwnPropertyDescriptor(p, method);
    if (d) return typeof d.value === 'function' ? d : undefined;
  }
  return undefined;
}
