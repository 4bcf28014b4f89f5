import type { ReadyCheck } from '@fractus/telemetry';
import type { RpcTransport } from './transport';

/** The part `rpc` of a process' readiness, with what the transport says is wrong: a refused password, say. */
export function rpcReady({ connected, why }: Pick<RpcTransport, 'connected' | 'why'>): ReadyCheck {
  return connected ? { part: 'rpc', ok: true } : { part: 'rpc', ok: false, why: why ?? 'the broker cannot be reached' };
}
