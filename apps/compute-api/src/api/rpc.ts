import { rpcClient, rpcHostClient } from '@fractus/rpc';
import type { Client, Contract, HostClient } from '@fractus/rpc-contracts';
import type { ApiParts } from '../parts';

/** A client that refuses to be used while a transaction is open. */
export function clientOf<C extends Contract>({ deps }: ApiParts, contract: C): Client<C> {
  return rpcClient(deps.transport, contract, guard(deps));
}

export function hostClientOf<C extends Contract>({ deps }: ApiParts, contract: C): HostClient<C> {
  return rpcHostClient(deps.transport, contract, guard(deps));
}

const guard = ({ database }: ApiParts['deps']): { assertOutsideTransaction: (what: string) => void } => ({
  assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
});
