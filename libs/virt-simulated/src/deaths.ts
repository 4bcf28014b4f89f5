import type { Clock } from '@fractus/virt';

interface Due {
  readonly host: string;
  readonly serverId: string;
  readonly at: number;
}

/** Guests that are going to die by themselves, behind one timer however many they are. */
export class Deaths {
  private readonly due = new Map<string, Due>();
  private cancel: (() => void) | null = null;
  private armedFor = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly die: (host: string, serverId: string) => void,
  ) {}

  /** Sets, moves or (with null) takes back the hour of a guest. */
  set(host: string, serverId: string, at: number | null): void {
    const key = `${host}/${serverId}`;
    if (at === null) {
      this.due.delete(key);
      return;
    }
    this.due.set(key, { host, serverId, at });
    if (at < this.armedFor) this.arm(at);
  }

  stop(): void {
    this.cancel?.();
    this.due.clear();
  }

  private arm(at: number): void {
    this.cancel?.();
    this.armedFor = at;
    this.cancel = this.clock.after(at - this.clock.now(), () => this.run());
  }

  private run(): void {
    const now = this.clock.now();
    this.armedFor = Infinity;
    for (const [key, d] of [...this.due]) {
      if (d.at > now) continue;
      this.due.delete(key);
      this.die(d.host, d.serverId);
    }
    const next = Math.min(...[...this.due.values()].map((d) => d.at));
    if (next < this.armedFor) this.arm(next);
  }
}
