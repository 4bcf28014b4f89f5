/**
 * When an operation may start: one at a time per guest (a server on a host), first in first out, and so many at once per
 * host. What hangs on one host thus never holds up the same server on another.
 */
export class Lanes {
  private readonly guests = new Map<string, Promise<void>>();
  private readonly hosts = new Map<string, Slots>();

  constructor(private readonly perHost: number) {}

  /** Runs `work` when its turn has come; `work` must not reject. */
  enter(serverId: string, host: string, work: () => Promise<void>): Promise<void> {
    const guest = `${serverId}@${host}`;
    const before = this.guests.get(guest) ?? Promise.resolve();
    const mine = before.then(() => this.inSlot(host, work));
    this.guests.set(guest, mine);
    return mine.then(() => {
      if (this.guests.get(guest) === mine) this.guests.delete(guest);
    });
  }

  private async inSlot(host: string, work: () => Promise<void>): Promise<void> {
    let slots = this.hosts.get(host);
    if (!slots) this.hosts.set(host, (slots = new Slots(this.perHost)));
    await slots.take();
    try {
      await work();
    } finally {
      if (slots.give()) this.hosts.delete(host);
    }
  }
}

class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  take(): Promise<void> | void {
    if (this.taken < this.size) return void this.taken++;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Hands the slot on; true when none is taken any more. */
  give(): boolean {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
    return this.taken === 0;
  }
}
