import { EventEmitter } from 'node:events';
import type { ConfirmChannel } from 'amqplib';
import { quiet } from '../testing/fixture';
import { settingsOf } from './options';
import { ConfirmedPublisher, type Outcome } from './publisher';

/** A broker's end of one channel: what was published on it and not confirmed yet, by key. */
class Channel extends EventEmitter {
  readonly open = new Map<string, (e: unknown) => void>();

  publish(_exchange: string, key: string, _body: Buffer, _options: object, done: (e: unknown) => void): boolean {
    this.open.set(key, done);
    return true;
  }

  get keys(): string {
    return [...this.open.keys()].join(' ');
  }

  confirm(key: string): void {
    const done = this.open.get(key);
    this.open.delete(key);
    done?.(null);
  }

  async close(): Promise<void> {}

  refuse(): void {
    this.emit('error', Object.assign(new Error('ACCESS_REFUSED'), { code: 403 }));
  }
}

describe('the confirmed publisher', () => {
  let publisher: ConfirmedPublisher;
  beforeEach(() => {
    publisher = new ConfirmedPublisher(settingsOf({ urls: ['amqp://localhost'], logger: quiet }));
  });
  afterEach(() => publisher.close(0));

  const connect = (): Channel => {
    const channel = new Channel();
    publisher.up(
      channel as unknown as ConfirmChannel,
      () => publisher.down(),
      () => undefined,
    );
    return channel;
  };
  const send = (key: string): Promise<Outcome> => {
    const sent = publisher.publish({ exchange: 'casts', key, body: '{}', options: {} });
    sent.catch(() => undefined);
    return sent;
  };

  it('sends one at a time only until those are settled of which one was refused, whatever comes meanwhile', async () => {
    const first = connect();
    const [a, b, c] = ['a', 'b', 'c'].map(send);
    expect(first.keys).toBe('a b c');
    first.refuse();
    const second = connect();
    expect(second.keys).toBe('a');
    second.confirm('a');
    send('d');
    expect(second.keys).toBe('b');
    second.refuse();
    const third = connect();
    send('e');
    expect(third.keys).toBe('c');
    third.confirm('c');
    expect(third.keys).toBe('d e');
    expect(await Promise.all([a, c])).toEqual(['taken', 'taken']);
    await expect(b).rejects.toMatchObject({ code: 'rpc.setup', details: { refusal: 403 } });
    send('f');
    expect(third.keys).toBe('d e f');
  });

  it('tells which it was where it is one that came after the refusal', async () => {
    const first = connect();
    send('a');
    send('b');
    first.refuse();
    const second = connect();
    const late = send('late');
    second.confirm('a');
    second.confirm('b');
    expect(second.keys).toBe('late');
    send('g');
    second.refuse();
    const third = connect();
    expect(third.keys).toBe('late');
    third.refuse();
    const fourth = connect();
    expect(fourth.keys).toBe('g');
    await expect(late).rejects.toMatchObject({ code: 'rpc.setup' });
  });
});
