/** The p-quantile (0 < p <= 1) by nearest rank; null of nothing. */
export function quantile(values, p) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

export const round = (value, digits = 2) =>
  value === null || Number.isNaN(value) ? null : Number(value.toFixed(digits));

/** Milliseconds → seconds; null stays null. */
export const seconds = (ms) => (ms === null ? null : round(ms / 1000));

/** Milliseconds in, the figures that a report prints out. */
export function latencies(ms) {
  return {
    n: ms.length,
    p50_ms: round(quantile(ms, 0.5)),
    p95_ms: round(quantile(ms, 0.95)),
    max_ms: round(quantile(ms, 1)),
  };
}

/** Operations per second; null where no time passed. */
export const rate = (count, ms) => (ms > 0 ? round((count * 1000) / ms) : null);
