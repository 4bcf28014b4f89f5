/**
 * A growable set of small integers (slots of trees), 32 to the word, so that whole estates intersect in microseconds.
 * Words outside a range are known to be empty: what a few neighbours have costs as little as they are.
 */
export class Bits {
  private words: Uint32Array;
  /** Only words from `low` up to and without `high` may have members. */
  private low = 0;
  private high = 0;

  constructor(capacity = 64) {
    this.words = new Uint32Array(Math.max(1, Math.ceil(capacity / 32)));
  }

  set(i: number): void {
    const word = i >>> 5;
    this.reach(word, word + 1);
    this.words[word] = this.word(word) | (1 << (i & 31));
  }

  clear(i: number): void {
    const word = i >>> 5;
    if (word < this.words.length) this.words[word] = this.word(word) & ~(1 << (i & 31));
  }

  has(i: number): boolean {
    return (this.word(i >>> 5) & (1 << (i & 31))) !== 0;
  }

  clone(): Bits {
    const copy = new Bits(0);
    copy.words = this.words.slice();
    copy.low = this.low;
    copy.high = this.high;
    return copy;
  }

  /** Keeps what is in `other` too; undefined stands for the empty set. */
  and(other: Bits | undefined): this {
    const low = Math.max(this.low, other?.low ?? 0);
    const high = Math.min(this.high, other?.high ?? 0);
    if (!other || low >= high) return this.clearAll();
    this.words.fill(0, this.low, low).fill(0, high, this.high);
    const { words } = this;
    for (let w = low; w < high; w++) (words[w] as number) &= other.words[w] as number;
    this.low = low;
    this.high = high;
    return this;
  }

  andNot(other: Bits | undefined): this {
    if (!other) return this;
    const { words } = this;
    const high = Math.min(this.high, other.high);
    for (let w = Math.max(this.low, other.low); w < high; w++) (words[w] as number) &= ~(other.words[w] as number);
    return this;
  }

  or(other: Bits | undefined): this {
    if (!other || other.low >= other.high) return this;
    this.reach(other.low, other.high);
    const { words } = this;
    for (let w = other.low; w < other.high; w++) (words[w] as number) |= other.words[w] as number;
    return this;
  }

  clearAll(): this {
    this.words.fill(0, this.low, this.high);
    this.low = this.high = 0;
    return this;
  }

  /** Keeps the members that pass. */
  filter(test: (i: number) => boolean): void {
    for (let w = this.low; w < this.high; w++) {
      let kept = 0;
      for (let rest = this.word(w); rest; rest &= rest - 1) {
        const bit = rest & -rest;
        if (test(w * 32 + 31 - Math.clz32(bit))) kept |= bit;
      }
      this.words[w] = kept;
    }
  }

  /** Keeps the members whose value is `least` or more; places beyond the values count as 0. */
  keepAtLeast(values: Int32Array, least: number): void {
    const { words } = this;
    for (let w = this.low; w < this.high; w++) {
      let rest = words[w] as number;
      if (rest === 0) continue;
      let kept = 0;
      for (; rest; rest &= rest - 1) {
        const bit = rest & -rest;
        if ((values[w * 32 + 31 - Math.clz32(bit)] ?? 0) >= least) kept |= bit;
      }
      words[w] = kept;
    }
  }

  count(): number {
    let n = 0;
    for (const word of this.words) for (let w = word; w; w &= w - 1) n++;
    return n;
  }

  isEmpty(): boolean {
    for (let w = this.low; w < this.high; w++) if (this.words[w]) return false;
    return true;
  }

  /** Every member once, in rising order from `start` and then round from 0. */
  *from(start: number): Generator<number> {
    const total = this.words.length;
    const first = total === 0 ? 0 : (start >>> 5) % total;
    const low = (1 << (start & 31)) - 1; // members of the first word that come last
    for (let n = 0; n <= total; n++) {
      const w = (first + n) % total;
      let word = this.word(w);
      if (n === 0) word &= ~low;
      else if (n === total) word &= low;
      while (word) {
        const bit = 31 - Math.clz32(word & -word);
        yield w * 32 + bit;
        word &= word - 1;
      }
    }
  }

  private word(w: number): number {
    return this.words[w] ?? 0;
  }

  /** Makes room for members of these words. */
  private reach(low: number, high: number): void {
    if (high > this.words.length) {
      const bigger = new Uint32Array(Math.max(high, this.words.length * 2));
      bigger.set(this.words);
      this.words = bigger;
    }
    const empty = this.low >= this.high;
    this.low = empty ? low : Math.min(this.low, low);
    this.high = empty ? high : Math.max(this.high, high);
  }
}
