import { FractusError } from '@fractus/objects';
import type { Client, HostClient, OperationFinished, OperationRef, computeContract } from '@fractus/rpc-contracts';

type Answer = Omit<OperationFinished, 'operation'>;
type Behaviour = 'works' | 'refuses' | 'refuses-for-good' | 'silent' | 'unreachable' | 'late';

/** Every host's agent: guests, and the journal that makes a repeated operation harmless. */
export class AgentLedger {
  /** Host → server → power state. */
  readonly guests = new Map<string, Map<string, number>>();
  readonly violations: string[] = [];
  readonly behaviour = new Map<string, Behaviour>();
  /** Effects on guests, for counting: `build host1`. */
  readonly effects: string[] = [];
  /** Every answer that was given, refusals included. */
  readonly answers: OperationFinished[] = [];
  private readonly fences = new Map<string, number>();
  private readonly journal = new Map<string, Answer>();
  private held: (() => void)[] = [];
  private readonly tombstones = new Set<string>();

  constructor(
    private readonly answer: (message: OperationFinished) => void,
    private readonly clock: () => number,
  ) {}

  /** A late host works again: everything that was sent to it meanwhile is done in order. */
  wake(host: string): void {
    this.behaviour.delete(host);
    this.held.splice(0).forEach((receive) => receive());
  }

  hostsOf(serverId: string): string[] {
    return [...this.guests].filter(([, guests]) => guests.has(serverId)).map(([host]) => host);
  }

  client(alive: () => void): HostClient<typeof computeContract> {
    const power =
      (host: string, state: number) =>
      async (_ctx: unknown, { operation }: { operation: OperationRef }): Promise<void> => {
        alive();
        this.receive(host, operation, () => this.setPower(host, operation.serverId, state));
      };
    const refuse = async (): Promise<never> => {
      throw new Error('conductor does not call this');
    };
    return {
      on: (host): Client<typeof computeContract> => ({
        build: async (_ctx, { operation }) => {
          alive();
          this.receive(host, operation, () => this.build(host, operation.serverId));
        },
        destroy: async (_ctx, { operation, forever }) => {
          alive();
          this.receive(host, operation, () => this.destroy(host, operation.serverId, forever));
        },
        start: power(host, 1),
        stop: power(host, 4),
        reboot: power(host, 1),
        pause: power(host, 3),
        unpause: power(host, 1),
        suspend: power(host, 7),
        resume: power(host, 1),
        setHostEnabled: refuse,
        getUptime: refuse,
      }),
    };
  }

  private receive(host: string, operation: OperationRef, work: () => Answer): void {
    const behaviour = this.behaviour.get(host) ?? 'works';
    if (behaviour === 'unreachable') throw new FractusError('unroutable', `nobody serves ${host}`);
    if (behaviour === 'silent') return;
    if (behaviour === 'late') return void this.held.push(() => this.receive(host, operation, work));
    const answer = this.perform(host, operation, work);
    this.answers.push({ operation, ...answer });
    this.answer({ operation, ...answer });
  }

  private perform(host: string, operation: OperationRef, work: () => Answer): Answer {
    const seen = this.fences.get(`${host} ${operation.serverId}`) ?? 0;
    if (operation.fence < seen) return failed('fence.stale', false);
    this.fences.set(`${host} ${operation.serverId}`, operation.fence);
    const key = [host, operation.taskId, operation.step, operation.attempt].join(' ');
    const known = this.journal.get(key);
    if (known) return { ...known, replayed: true };
    const answer = { ...work(), at: this.clock() };
    this.journal.set(key, answer);
    return answer;
  }

  private build(host: string, serverId: string): Answer {
    const behaviour = this.behaviour.get(host);
    if (behaviour === 'refuses') return failed('driver.spawn', true);
    if (behaviour === 'refuses-for-good') return failed('driver.spawn', false);
    if (this.tombstones.has(`${host} ${serverId}`)) return failed('guest.deleted', false);
    if (this.hostsOf(serverId).length > 0)
      this.violations.push(`${serverId} built on ${host} while on ${this.hostsOf(serverId).join()}`);
    this.effects.push(`build ${host}`);
    const guests = this.guests.get(host) ?? new Map<string, number>();
    this.guests.set(host, guests.set(serverId, 1));
    return { outcome: 'done', powerState: 1 };
  }

  private destroy(host: string, serverId: string, forever: boolean): Answer {
    if (forever) this.tombstones.add(`${host} ${serverId}`);
    this.effects.push(`destroy ${host}`);
    this.guests.get(host)?.delete(serverId);
    return { outcome: 'done' };
  }

  private setPower(host: string, serverId: string, state: number): Answer {
    const guests = this.guests.get(host);
    if (!guests?.has(serverId)) return failed('guest.not_found', false);
    this.effects.push(`power ${host}`);
    guests.set(serverId, state);
    return { outcome: 'done', powerState: state };
  }
}

const failed = (code: string, retryElsewhere: boolean): Answer => ({
  outcome: 'failed',
  error: { code, message: `refused: ${code}`, retryElsewhere },
});
