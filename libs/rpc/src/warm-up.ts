import { compileDto } from '@fractus/dto-schema';
import type { Contract } from '@fractus/rpc-contracts';

/**
 * Makes the validators of the contracts' requests and answers, one each turn of the event loop, for a process that
 * serves or calls them: a validator is otherwise made when its first message arrives, which then waits for milliseconds.
 * Resolves when all are made; nobody has to wait for it.
 */
export async function warmUp(contracts: readonly Contract[]): Promise<void> {
  for (const { methods } of contracts) {
    for (const spec of Object.values(methods)) {
      for (const cls of spec.kind === 'call' ? [spec.request, spec.response] : [spec.request]) {
        await new Promise((resolve) => setImmediate(resolve).unref());
        compileDto<object>(cls, { unknown: 'drop' }).check(undefined);
      }
    }
  }
}
