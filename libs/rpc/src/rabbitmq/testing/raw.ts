import type { ConsumeOptions, Delivery, RpcTransport } from '../../transport';
import { Probe } from '../../testing/fixture';

/** A message of the topic `desk`, for tests that look at the transport itself. */
export const message = (id: string, body = '{}') => ({ id, pattern: 'desk.file', body });

export const DESK: ConsumeOptions = {
  topic: 'desk',
  queue: 'work',
  instance: '',
  castPrefetch: 50,
  callPrefetch: 50,
  news: false,
};
export const ROOM = (instance: string): ConsumeOptions => ({ ...DESK, topic: 'room', queue: 'agent', instance });

/** Acknowledges (or answers) everything and notes it. */
export async function note(transport: RpcTransport, options = DESK): Promise<Probe<Delivery>> {
  const probe = new Probe<Delivery>();
  await transport.consume(options, (d) => {
    if (d.kind === 'call') d.reply(d.id);
    else d.ack();
    probe.note(d);
  });
  return probe;
}

export const soon = (ms = 20_000): number => Date.now() + ms;
