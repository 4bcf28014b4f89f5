import { randomFillSync } from 'node:crypto';

/** W3C trace context (https://www.w3.org/TR/trace-context/), level 1. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a traceparent header; null where it is absent or breaks the standard (the trace then starts anew). */
export function parseTraceparent(header: string | undefined): TraceContext | null {
  const match = header === undefined ? null : TRACEPARENT.exec(header.trim());
  if (!match) return null;
  const [, version, traceId, spanId, flags, rest] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string | undefined,
  ];
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent(trace: TraceContext): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`;
}

/** A new trace with its root span. */
export function newTrace(sampled = true): TraceContext {
  return { traceId: hex(16), spanId: hex(8), sampled };
}

/** A new span in the same trace. */
export function childTrace(parent: TraceContext): TraceContext {
  return { ...parent, spanId: hex(8) };
}

/** The traceparent to work under and to pass on: a child of the one that came, else a new trace. */
export function continueTraceparent(header: string | undefined): string {
  const parent = parseTraceparent(header);
  return formatTraceparent(parent ? childTrace(parent) : newTrace());
}

/** Random bytes for many ids: a call for each costs more than all else that a request pays for its trace. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function hex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const text = pool.toString('hex', used, (used += bytes));
  return /^0+$/.test(text) ? hex(bytes) : text;
}
