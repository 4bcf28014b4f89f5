import { setTimeout as rest } from 'node:timers/promises';

/** Runs `task(i)` for i in 0..count-1, `concurrency` at a time; returns the wall time in ms. */
export async function pool(count, concurrency, task) {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  return performance.now() - start;
}

/** Times `count` runs of `task(i)`, which resolves to a response with `ms`; stops early once `budgetMs` is spent and five are in. */
export async function repeat(count, task, budgetMs = 60_000) {
  const start = performance.now();
  const ms = [];
  let last;
  for (let i = 0; i < count && (i < 5 || performance.now() - start < budgetMs); i++) {
    last = await task(i);
    ms.push(last.ms);
  }
  return { ms, last };
}

/**
 * Asks until `question()` is true or `deadline` (performance.now()) passes; whether it came true. Rests twice as long as the
 * question took, at least 50 ms, so that the asking weighs alike on a fast and on a slow target.
 */
export async function until(question, deadline) {
  for (;;) {
    const start = performance.now();
    if (await question()) return true;
    if (performance.now() > deadline) return false;
    await rest(Math.max(50, 2 * (performance.now() - start)));
  }
}
