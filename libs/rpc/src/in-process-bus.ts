import { conflict, notFound, unavailable } from '@fractus/objects';
import { unroutable } from './errors';
import { MessageQueue, QueueConsumer, type Message, type Outcomes } from './in-process-queue';
import type { Address, ConsumeOptions, Consumer, DeadLetter, DeadLetters, Delivery, RpcLogger } from './transport';

export interface BusLimits {
  readonly maxQueued: number;
  readonly deliveryLimit: number;
  readonly maxDeadLetters: number;
  readonly retryDelayMs: (attempt: number) => number;
}

/** What a broker would hold: queues, bindings, subscriptions and dead letters of every connection in the process. */
export class InProcessBus implements Outcomes {
  private readonly work = new Map<string, MessageQueue>();
  private readonly agents = new Map<string, MessageQueue>();
  private readonly bindings = new Map<string, Map<string, MessageQueue>>();
  private readonly subscribers = new Map<string, Set<QueueConsumer>>();
  private readonly parked = new Map<string, DeadLetter>();

  constructor(
    private readonly limits: BusLimits,
    private readonly log: RpcLogger,
  ) {}

  /** The queue that somebody consumes at the address, or undefined. */
  route(to: Address): MessageQueue | undefined {
    const queue = to.host === undefined ? this.work.get(to.topic) : this.bindings.get(to.topic)?.get(to.host);
    return queue && queue.consumers.length > 0 ? queue : undefined;
  }

  /** Takes a cast; throws `unroutable` or `unavailable`. */
  accept(message: Message): void {
    const queue = message.host === undefined ? this.workQueue(message.topic) : this.route(message);
    if (!queue) throw unroutable(message);
    this.enqueue(queue, message);
  }

  /** Throws `unavailable` when the queue is full. */
  enqueue(queue: MessageQueue, message: Message): void {
    if (queue.lane(message.kind).length >= this.limits.maxQueued) {
      throw unavailable(`The queue ${queue.name} is full`, { code: 'rpc.queue_full', retryAfter: 1 });
    }
    queue.put(message);
  }

  publish(message: Message): void {
    for (const consumer of this.subscribers.get(message.topic) ?? []) {
      if (consumer.tell({ ...message })) continue;
      this.log.warn({ pattern: message.pattern }, 'news dropped: the subscriber is too slow');
    }
  }

  consume(options: ConsumeOptions, deliver: (d: Delivery) => void): Consumer {
    const queue = this.queueFor(options);
    if (options.queue === 'agent' && queue?.consumers.length) {
      throw conflict(`Another process serves the agent queue ${queue.name}`, { code: 'rpc.instance_taken' });
    }
    const consumer = new QueueConsumer(options, deliver, this, queue);
    queue?.add(consumer);
    if (options.news) this.subscribe(options.topic, consumer);
    const stop = (): void => {
      consumer.stop();
      this.subscribers.get(options.topic)?.delete(consumer);
      if (queue && queue.consumers.length === 0) this.desert(options.topic, queue);
    };
    const end = (): void => {
      stop();
      consumer.end();
    };
    return {
      addHost: async (host) => this.bindHost(options, queue, consumer, host),
      removeHost: async (host) => this.unbindHost(options.topic, queue, host),
      stop: async () => stop(),
      close: async () => end(),
      kill: async () => end(),
    };
  }

  retry(message: Message, reason: string): void {
    if (message.attempt >= this.limits.deliveryLimit)
      return this.dead(message, `gave up after ${message.attempt} deliveries: ${reason}`);
    message.redelivered = true;
    setTimeout(() => this.requeue(message, false), this.limits.retryDelayMs(message.attempt)).unref();
  }

  redeliver(message: Message): void {
    if (message.attempt >= this.limits.deliveryLimit)
      return this.dead(message, `its consumer died in each of ${message.attempt} deliveries`);
    message.redelivered = true;
    this.requeue(message, true);
  }

  release(message: Message): void {
    message.attempt--;
    this.requeue(message, true);
  }

  dead(message: Message, reason: string): void {
    const { id, topic, host, sender, pattern, body, attempt } = message;
    this.log.error({ messageId: id, pattern, host, attempts: attempt, reason }, 'a cast was dead-lettered');
    this.parked.set(id, {
      id,
      topic,
      ...(host !== undefined && { host }),
      ...(sender !== undefined && { sender }),
      pattern,
      reason,
      attempts: attempt,
      deadAt: Date.now(),
      body,
    });
    if (this.parked.size <= this.limits.maxDeadLetters) return;
    const [oldest] = this.parked.keys();
    this.parked.delete(oldest);
    this.log.error({ messageId: oldest }, 'the oldest dead letter was dropped: too many');
  }

  readonly deadLetters: DeadLetters = {
    list: async (topic) => [...this.parked.values()].filter((d) => topic === undefined || d.topic === topic),
    retry: async (id) => {
      const { topic, host, sender, pattern, body } = this.letter(id);
      this.accept({ id, kind: 'cast', topic, host, sender, pattern, body, attempt: 0, redelivered: false });
      this.parked.delete(id);
    },
    drop: async (id) => void this.parked.delete(this.letter(id).id),
  };

  private letter(id: string): DeadLetter {
    const letter = this.parked.get(id);
    if (!letter) throw notFound(`No dead letter ${id}`, { code: 'rpc.dead_letter' });
    return letter;
  }

  private requeue(message: Message, first: boolean): void {
    const home =
      message.host === undefined ? this.workQueue(message.topic) : (this.route(message) ?? this.lastQueue(message));
    home.put(message, first);
  }

  private workQueue(topic: string): MessageQueue {
    return getOrMake(this.work, topic, () => new MessageQueue(topic));
  }

  private queueFor({ queue, topic, instance }: ConsumeOptions): MessageQueue | undefined {
    if (queue === 'none') return undefined;
    if (queue === 'work') return this.workQueue(topic);
    const name = `${topic}@${instance}`;
    return getOrMake(this.agents, name, () => new MessageQueue(name));
  }

  /** Casts to a host whose agent has gone wait here for the next process that serves the host. */
  private lastQueue({ topic, host }: Message): MessageQueue {
    const name = `${topic}.${host} (unserved)`;
    return getOrMake(this.agents, name, () => new MessageQueue(name));
  }

  private subscribe(topic: string, consumer: QueueConsumer): void {
    getOrMake(this.subscribers, topic, () => new Set()).add(consumer);
  }

  /** The last consumer has left: nobody will take the waiting calls; casts to hosts wait for the host's next process. */
  private desert(topic: string, queue: MessageQueue): void {
    for (const { pending, host } of queue.calls.drain()) pending?.fail(unroutable({ topic, host }));
    const bound = this.bindings.get(topic);
    for (const [host, at] of bound ?? []) if (at === queue) bound?.delete(host);
    if (!this.agents.delete(queue.name)) return;
    for (const message of queue.casts.drain()) this.lastQueue(message).put(message);
  }

  private bindHost(
    { topic }: ConsumeOptions,
    queue: MessageQueue | undefined,
    consumer: QueueConsumer,
    host: string,
  ): void {
    if (!queue || consumer.stopped) throw unavailable(`The consumer of ${topic} has stopped`, { code: 'rpc.stopped' });
    const bound = getOrMake(this.bindings, topic, () => new Map<string, MessageQueue>());
    const other = bound.get(host);
    if (other && other !== queue) throw conflict(`Another process serves ${topic}.${host}`, { code: 'rpc.host_taken' });
    bound.set(host, queue);
    const waiting = `${topic}.${host} (unserved)`;
    for (const message of this.agents.get(waiting)?.casts.drain() ?? []) queue.put(message);
    this.agents.delete(waiting);
  }

  private unbindHost(topic: string, queue: MessageQueue | undefined, host: string): void {
    const bound = this.bindings.get(topic);
    if (bound?.get(host) === queue) bound?.delete(host);
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
