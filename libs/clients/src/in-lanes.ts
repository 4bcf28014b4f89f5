/** `work` for each of the items, at most `width` at a time; the answers in their order. The first failure ends it. */
export async function inLanes<T, R>(width: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const answers = new Array<R>(items.length);
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of rest) answers[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return answers;
}
