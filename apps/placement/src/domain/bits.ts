/** A growable set of small integers (slots of trees), 32 to the word, so that whole estates intersect in microseconds. */
export class Bits {
  private words: Uint32Array;

  constructor(capacity = 64) {
    this.words = new Uint32Array(Math.max(1, Math.ceil(capacity / 32)));
  }

  set(i: number): void {
    const word = i >>> 5;
    if (word >= this.words.length) this.grow(word + 1);
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
    return copy;
  }

  /** Keeps what is in `other` too; undefined stands for the empty set. */
  and(other: Bits | undefined): this {
    for (let w = 0; w < this.words.length; w++) this.words[w] = this.word(w) & (other ? other.word(w) : 0);
    return this;
  }

  andNot(other: Bits | undefined): this {
    if (other) for (let w = 0; w < this.words.length; w++) this.words[w] = this.word(w) & ~other.word(w);
    return this;
  }

  or(other: Bits | undefined): this {
    if (!other) return this;
    if (other.words.length > this.words.length) this.grow(other.words.length);
    for (let w = 0; w < other.words.length; w++) this.words[w] = this.word(w) | other.word(w);
    return this;
  }

  clearAll(): void {
    this.words.fill(0);
  }

  /** Keeps the members that pass. */
  filter(test: (i: number) => boolean): void {
    for (let w = 0; w < this.words.length; w++) {
      let kept = 0;
      for (let rest = this.word(w); rest; rest &= rest - 1) {
        const bit = rest & -rest;
        if (test(w * 32 + 31 - Math.clz32(bit))) kept |= bit;
      }
      this.words[w] = kept;
    }
  }

  count(): number {
    let n = 0;
    for (const word of this.words) for (let w = word; w; w &= w - 1) n++;
    return n;
  }

  isEmpty(): boolean {
    return this.words.every((w) => w === 0);
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

  private grow(words: number): void {
    const bigger = new Uint32Array(Math.max(words, this.words.length * 2));
    bigger.set(this.words);
    this.words = bigger;
  }
}
