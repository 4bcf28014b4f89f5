import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { unimplemented, type RequestContext } from '@fractus/objects';
import type { Contract } from '@fractus/rpc-contracts';
import { senders, type RpcClientOptions, type Send } from './client';
import { patternOf } from './handlers';
import type { RpcTransport } from './transport';

/** The payload of `send` and `emit`. */
export interface RpcPacket {
  readonly ctx: RequestContext;
  readonly request: unknown;
  readonly host?: string;
}

/**
 * The client strategy of Nest's microservices, for code that wants a ClientProxy:
 * `proxy.send('conductor.registerHosts', {ctx, request})`. `rpcClient` is typed and skips the observables; prefer it.
 */
export class RpcClientProxy extends ClientProxy {
  private readonly sendersByPattern = new Map<string, Send>();

  constructor(
    private readonly transport: RpcTransport,
    contracts: readonly Contract[],
    options: RpcClientOptions = {},
  ) {
    super();
    for (const contract of contracts) {
      for (const [name, send] of senders(transport, contract, options)) {
        this.sendersByPattern.set(patternOf(contract, name), send);
      }
    }
  }

  async connect(): Promise<void> {}

  /** The transport is its owner's to close. */
  close(): void {}

  unwrap<T>(): T {
    return this.transport as T;
  }

  protected publish(packet: ReadPacket<RpcPacket>, callback: (packet: WritePacket) => void): () => void {
    let wanted = true;
    this.forward(packet).then(
      (response) => wanted && callback({ response, isDisposed: true }),
      (err: unknown) => wanted && callback({ err }),
    );
    return () => void (wanted = false);
  }

  protected override async dispatchEvent<T>(packet: ReadPacket<RpcPacket>): Promise<T> {
    return (await this.forward(packet)) as T;
  }

  private async forward({ pattern, data }: ReadPacket<RpcPacket>): Promise<unknown> {
    const send = this.sendersByPattern.get(String(pattern));
    if (!send) throw unimplemented(`No contract here has ${String(pattern)}`, { code: 'rpc.method' });
    return send(data.ctx, data.request, data.host);
  }
}
