import type { RequestContext } from '@fractus/objects';

/** What a handler may want to know of the message beside its context and payload. */
export interface DeliveryInfo {
  /** The host that the message was addressed to (`host` contracts). */
  readonly host?: string;
  /** Whether an earlier delivery was not acknowledged: the work may have been done already. */
  readonly redelivered: boolean;
  /** 1 for the first. */
  readonly attempt: number;
  /** The sender as the broker knows it; absent where the transport has no users. */
  readonly sender?: string;
}

const INFO = Symbol('fractus.rpc.delivery');
type Noted = RequestContext & { readonly [INFO]?: DeliveryInfo };

/** Of the very context object that the handler was given; undefined for any other, copies included. */
export function deliveryOf(ctx: RequestContext): DeliveryInfo | undefined {
  return (ctx as Noted)[INFO];
}

/** Not enumerable, so that neither a copy nor JSON takes it along; a WeakMap of an object per message is dear to collect. */
export function noteDelivery(ctx: RequestContext, info: DeliveryInfo): void {
  Object.defineProperty(ctx, INFO, { value: info });
}
