import { isFractusError } from '@fractus/objects';
import type { Metrics } from '@fractus/telemetry';

export type RpcMetrics = Pick<Metrics, 'rpc'>;

/** `ok` is the caller's to say; otherwise the kind of the error. */
export const outcomeOf = (e: unknown): string => (isFractusError(e) ? e.kind : 'internal');

/** Call the returned function with the outcome when the message is done. */
export function startTimer(
  metrics: RpcMetrics | undefined,
  side: 'client' | 'server',
  method: string,
): (outcome: string) => void {
  if (!metrics) return () => undefined;
  const start = performance.now();
  return (outcome) => metrics.rpc({ side, method, outcome }, (performance.now() - start) / 1000);
}
