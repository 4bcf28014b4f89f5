/**
 * Asks again and again until `check` gives true; a text says what is still missing. The bound is generous: it only
 * turns "never" into a failure.
 */
export async function eventually(
  what: string,
  check: () => Promise<true | string>,
  boundMs = 60_000,
  pauseMs = 10,
): Promise<void> {
  const until = Date.now() + boundMs;
  let last = '';
  while (Date.now() < until) {
    const state = await check();
    if (state === true) return;
    last = state;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`never: ${what}; last seen: ${last}`);
}
