/**
 * How much of one resource class each tree can give in one piece, by slot: the most that any of its providers has left,
 * cut to its max_unit. A plain array, read from end to end in microseconds, so that the index is exact and nearly full
 * estates cost no visits. Classes that few trees have are kept as a map.
 */
import { Bits } from './bits';

/** Amounts above it are never had: max_unit is at most this. */
const MOST = 2147483647;
/** A class is kept by array once this many trees have it, and one in `SPARSE` of all slots. */
const FEW = 512;
const SPARSE = 16;

export class RoomIndex {
  private few: Map<number, number> | undefined = new Map();
  private all = new Int32Array(0);
  private highest = 0;

  /** 0: nothing left, or no such inventory. */
  set(slot: number, room: number): void {
    const amount = Math.max(0, Math.min(room, MOST));
    this.highest = Math.max(this.highest, slot);
    if (!this.few) return this.write(slot, amount);
    if (amount > 0) this.few.set(slot, amount);
    else this.few.delete(slot);
    if (this.few.size > FEW && this.few.size * SPARSE > this.highest) this.spread(this.few);
  }

  /** Takes out of the set the trees that cannot give the amount. */
  keep(slots: Bits, amount: number): void {
    const { few, all } = this;
    if (amount > MOST) slots.clearAll();
    else if (few) slots.filter((slot) => (few.get(slot) ?? 0) >= amount);
    else slots.keepAtLeast(all, amount);
  }

  private spread(few: ReadonlyMap<number, number>): void {
    this.few = undefined;
    for (const [slot, amount] of few) this.write(slot, amount);
  }

  private write(slot: number, amount: number): void {
    if (slot >= this.all.length) {
      if (amount === 0) return;
      const bigger = new Int32Array(Math.max(slot + 1, Math.ceil(this.all.length * 1.5)));
      bigger.set(this.all);
      this.all = bigger;
    }
    this.all[slot] = amount;
  }
}
