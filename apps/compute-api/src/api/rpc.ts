import { rpcClient, rpcHostClient, type RpcClientOptions } from '@fractus/rpc';
import type { PlacementCaller } from '@fractus/clients';
import { placementContract, type Client, type Contract, type HostClient } from '@fractus/rpc-contracts';
import type { ApiParts } from '../parts';

/** A client that refuses to be used while a transaction is open, and whose calls are measured. */
export function clientOf<C extends Contract>({ deps }: ApiParts, contract: C): Client<C> {
  return rpcClient(deps.transport, contract, options(deps));
}

/** Placement, wherever it is. */
export const placementOf = (parts: ApiParts): PlacementCaller =>
  parts.deps.clients.placement ?? clientOf(parts, placementContract);

/** The same for a contract that is routed by host. */
export function hostClientOf<C extends Contract>({ deps }: ApiParts, contract: C): HostClient<C> {
  return rpcHostClient(deps.transport, contract, options(deps));
}

const options = ({ database, metrics }: ApiParts['deps']): RpcClientOptions => ({
  assertOutsideTransaction: (what) => database.assertOutsideTransaction(what),
  metrics,
});
