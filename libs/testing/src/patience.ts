/**
 * A client that does not give up while a cloud is being mended: what the far end refused, cut off or answered with 503
 * is tried again, and counted. Every other failure is the test's business.
 */
import type { ApiAnswer } from './api-client';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a story reads whatever the wire brings
type Wire = any;

/** Codes of a connection that could not be made, or was cut off before the answer had come. */
const CUT = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const PAUSE_MS = 200;

export interface PatienceOptions {
  /** Milliseconds after which it gives up. Default 120 000. */
  readonly boundMs?: number;
}

export class Patience {
  /** How often each thing came in the way: a code of the system, or `503`. */
  readonly tally: Record<string, number> = {};
  /** 503s without a Retry-After. */
  readonly unhelpful: string[] = [];

  constructor(private readonly options: PatienceOptions = {}) {}

  /** Asks until an answer comes that is no 503; rejects with whatever else goes wrong. */
  async ask(what: string, request: () => Promise<ApiAnswer<Wire>>): Promise<ApiAnswer<Wire>> {
    for (const until = Date.now() + (this.options.boundMs ?? 120_000); ;) {
      const met = await this.once(what, request);
      if ('answer' in met) return met.answer;
      if (Date.now() > until) throw new Error(`${what}: still ${met.trouble} after ${this.options.boundMs} ms`);
      await pause(met.pauseMs);
    }
  }

  /** One try: the answer, or what came in the way, whether the request may have been carried out, and how long to wait. */
  async once(
    what: string,
    request: () => Promise<ApiAnswer<Wire>>,
  ): Promise<{ answer: ApiAnswer<Wire> } | { trouble: string; perhapsDone: boolean; pauseMs: number }> {
    try {
      const answer = await request();
      if (answer.status !== 503) return { answer };
      const seconds = answer.headers.get('retry-after');
      if (seconds === null) this.unhelpful.push(`${what}: ${JSON.stringify(answer.body)}`);
      this.count('503');
      return { trouble: '503', perhapsDone: true, pauseMs: seconds === null ? PAUSE_MS : Number(seconds) * 1000 };
    } catch (e) {
      const code = codeOf(e);
      if (code === undefined) throw e;
      this.count(code);
      return { trouble: code, perhapsDone: code !== 'ECONNREFUSED', pauseMs: PAUSE_MS };
    }
  }

  private count(trouble: string): void {
    this.tally[trouble] = (this.tally[trouble] ?? 0) + 1;
  }
}

/** The code of a lost connection; undefined for any other failure. */
function codeOf(e: unknown): string | undefined {
  const { cause } = e as { cause?: { code?: unknown; errors?: { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  return typeof code === 'string' && CUT.has(code) ? code : undefined;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
