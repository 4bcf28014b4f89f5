import { connect, type Socket } from 'node:net';

/** Sends bytes as they are and collects the answer until the peer closes, or until `enough` says so. */
export function exchange(url: string, bytes: string | Buffer, enough?: (text: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (d) => {
      text += d.toString('latin1');
      if (enough?.(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** An open connection that is written to piece by piece. */
export async function dial(url: string): Promise<{
  write(text: string): void;
  answer(until: RegExp): Promise<string>;
  closed: Promise<void>;
  hangUp(): void;
  /** Says that nothing more will be sent, and goes on listening. */
  endOfBytes(): void;
}> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let text = '';
  const waiting: (() => void)[] = [];
  socket.on('data', (d) => {
    text += d.toString('latin1');
    for (const wake of waiting.splice(0)) wake();
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return {
    write: (t) => void socket.write(t),
    answer: async (until) => {
      while (!until.test(text))
        await Promise.race([
          new Promise<void>((resolve) => waiting.push(resolve)),
          closed.then(() => Promise.reject(new Error(`closed; got ${text}`))),
        ]);
      const got = text;
      text = '';
      return got;
    },
    closed,
    hangUp: () => void socket.destroy(),
    endOfBytes: () => void socket.end(),
  };
}
