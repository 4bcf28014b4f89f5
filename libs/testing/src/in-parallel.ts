/** Does `work` for 0 … `count` − 1, at most `width` at a time; the first failure ends it. */
export async function inParallel(width: number, count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}
