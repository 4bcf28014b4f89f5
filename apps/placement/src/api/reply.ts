/** What a handler answers, where a plain body is not enough. */
export class Reply {
  constructor(
    readonly body: unknown,
    readonly options: {
      /** Default: the operation's success code. */
      readonly status?: number;
      /** Path; becomes absolute. */
      readonly location?: string;
      /** Epoch ms of Last-Modified from 1.15 on; null is now. Left out: neither Last-Modified nor Cache-Control. */
      readonly modified?: number | null;
    } = {},
  ) {}
}

/** A body with the newest of some instants as Last-Modified; now, if there are none. */
export const modified = (body: unknown, instants: readonly number[] = []): Reply =>
  new Reply(body, { modified: instants.length ? Math.max(...instants) : null });
