import type { Channel } from 'amqplib';

/** How long a broker may take to confirm the end of something; one behind a half-open connection never will. */
export const GOODBYE_MS = 2000;

/** An `error` event without a listener would end the process; the failing operation tells what happened. */
export function silenced<C extends Channel>(channel: C): C {
  channel.on('error', () => undefined);
  return channel;
}

/** Sends what the channel holds and ends it. Never rejects, and does not outlast the connection, as `close` would. */
export async function closeChannel(channel: Channel): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    channel.once('close', resolve);
    channel.close().then(resolve, resolve);
  });
  await within(GOODBYE_MS, closed);
}

/** Resolves when `done` does, at the latest after `ms`: for goodbyes that a dead peer never answers. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([done, late]);
  clearTimeout(timer);
}
