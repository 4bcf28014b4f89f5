/**
 * What moves messages. Two implementations share this contract and its test suite (`testing/`): the in-process bus of
 * the embedded cloud, and RabbitMQ. A transport sees text, never objects, so that both serialise alike.
 *
 * | here               | on RabbitMQ                                                                                  |
 * |--------------------|----------------------------------------------------------------------------------------------|
 * | work queue `topic` | quorum queue `<topic>` for casts, auto-delete queue `<topic>.calls` for calls                  |
 * | agent queue        | the same pair once per agent process, with a topic binding `<topic>.<host>` per host it serves |
 * | news               | fan-out exchange `<topic>.news`, an exclusive queue per subscriber                           |
 * | `call`             | mandatory publish, direct reply-to, expiration = deadline; a second delivery is refused          |
 * | `cast`             | persistent, confirmed, mandatory publish; acknowledged after the handler                      |
 *
 * Calls are at most once: a callee that dies in mid-call is not replaced; its caller learns of it when another process
 * is handed the call (`unavailable`), or times out. Casts are at least
 * once: handlers must bear a second delivery. Order within a queue is kept until something is redelivered.
 */
export interface Address {
  readonly topic: string;
  /** Present for contracts with `host` routing: the host's own agent. */
  readonly host?: string;
}

export interface OutgoingMessage {
  /** Unique per message; kept over redeliveries. */
  readonly id: string;
  /** `<topic>.<method>`. */
  readonly pattern: string;
  /** JSON text of the envelope. */
  readonly body: string;
}

export type DeliveryKind = 'call' | 'cast' | 'news';

/** A message on its way to a handler. Exactly one settling method is to be called; a second one does nothing. */
export interface Delivery extends OutgoingMessage {
  readonly kind: DeliveryKind;
  readonly host?: string;
  /** 1 for the first delivery of a message. */
  readonly attempt: number;
  /** Whether an earlier delivery was not acknowledged: its handler failed, or its consumer died in mid-handler. */
  readonly redelivered: boolean;
  /** Epoch milliseconds (calls): no work is to start past it. */
  readonly deadline?: number;
  /** The sender's user as the broker knows it, never as the sender claims; absent where the transport has no users. */
  readonly sender?: string;
  /** Answers a call. */
  reply(text: string): void;
  /** Done, nothing to answer: a handled cast or news, or a call past its deadline. */
  ack(): void;
  /** The handler failed: deliver again after a pause, up to the delivery limit, then park with the reason. */
  retry(reason: string): void;
  /** No delivery can succeed: park in the dead letters with the reason. */
  dead(reason: string): void;
  /** Give back untouched: does not count as an attempt. It is next again in process, last in RabbitMQ's queue. */
  release(): void;
}

export interface ConsumeOptions {
  readonly topic: string;
  /**
   * `work`: shared by every process of the app. `agent`: this process' own queue, reached by the hosts bound to it.
   * `none`: news only.
   */
  readonly queue: 'work' | 'agent' | 'none';
  /** Names the agent queue; stable over restarts, so that casts of a crashed process find its successor. */
  readonly instance: string;
  /** Unacknowledged casts handed out at once. */
  readonly castPrefetch: number;
  /** Unanswered calls handed out at once. */
  readonly callPrefetch: number;
  /** Whether to receive the topic's news. */
  readonly news: boolean;
}

export interface Consumer {
  /** Binds a host to an agent queue. Rejects with `conflict` where another live process is known to serve it. */
  addHost(host: string): Promise<void>;
  removeHost(host: string): Promise<void>;
  /** No further deliveries; those handed out can still be settled. */
  stop(): Promise<void>;
  /** Ends the consumer: what is not acknowledged is redelivered. After `stop` and a drain that is nothing. */
  close(): Promise<void>;
  /** What a crash of the process looks like to the broker: ends at once, late replies and acknowledgements are lost. */
  kill(): Promise<void>;
}

export interface DeadLetter {
  readonly id: string;
  readonly topic: string;
  readonly host?: string;
  /** Who sent it first, as the transport knows it; absent where it has no users. */
  readonly sender?: string;
  readonly pattern: string;
  readonly reason: string;
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly deadAt: number;
  readonly body: string;
}

/** Casts that could not be handled. Bounded: the oldest are dropped (and logged) beyond the cap. */
export interface DeadLetters {
  list(topic?: string): Promise<DeadLetter[]>;
  /** Sends it again as if new. Rejects with `not_found`. */
  retry(id: string): Promise<void>;
  /** Forgets it. Rejects with `not_found`. */
  drop(id: string): Promise<void>;
}

export interface RpcTransport {
  /**
   * The reply's text. Rejects with `unroutable` at once when nobody consumes the address, `timeout` when the deadline
   * (epoch milliseconds) passes, `unavailable` when too many calls are pending or the connection is lost.
   */
  call(to: Address, message: OutgoingMessage, deadline: number): Promise<string>;
  /**
   * Resolves when the transport has taken the message. To a host that nobody serves it rejects with `unroutable`; to
   * a work queue without a consumer it is held until one comes. Rejects with `unavailable` when the queue is full.
   */
  cast(to: Address, message: OutgoingMessage): Promise<void>;
  /** To every subscriber of the topic's news; none is fine. */
  publish(topic: string, message: OutgoingMessage): Promise<void>;
  /** `deliver` must not throw. It is called outside the sender's async context. */
  consume(options: ConsumeOptions, deliver: (d: Delivery) => void): Promise<Consumer>;
  readonly deadLetters: DeadLetters;
  /** False while the broker cannot be reached. */
  readonly connected: boolean;
  /** Why it is not `connected`, where the transport can tell. */
  readonly why?: string | undefined;
  /** Rejects pending calls with `unavailable` and ends every consumer. */
  close(): Promise<void>;
}

/** Where the library says what went wrong; a pino logger fits. */
export interface RpcLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
