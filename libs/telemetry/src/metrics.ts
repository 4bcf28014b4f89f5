import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type CollectFunction,
  type MetricConfiguration,
} from 'prom-client';

export type { Counter, Gauge, Histogram } from 'prom-client';

/** Seconds; from one millisecond (a cached read) to half a minute (a slow neighbour). */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * A registry of its own (never prom-client's global one), so that many services can live in one process. Asking twice
 * for the same name gives the same metric; asking with other labels is an error.
 */
export interface Metrics {
  readonly registry: Registry;
  counter(name: string, help: string, labels?: readonly string[]): Counter<string>;
  /** `collect` runs at scrape time: for values that are cheaper to read than to keep up to date. */
  gauge(
    name: string,
    help: string,
    labels?: readonly string[],
    collect?: CollectFunction<Gauge<string>>,
  ): Gauge<string>;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: number[]): Histogram<string>;
  /** One HTTP request served. `route` is the pattern, never the raw path. */
  httpServed(labels: { service: string; method: string; route: string; status: number }, seconds: number): void;
  /** One HTTP request to a neighbour. */
  httpCalled(
    labels: { service: string; peer: string; method: string; status: number | 'error' },
    seconds: number,
  ): void;
  /** One RPC message handled (`side: server`) or sent (`side: client`). */
  rpc(labels: { side: 'client' | 'server'; method: string; outcome: string }, seconds: number): void;
  /** The text exposition and its content type. */
  render(): Promise<{ contentType: string; body: string }>;
}

export interface MetricsOptions {
  /** Also collect the process's own numbers (CPU, memory, event loop lag, garbage collection). Once per process. */
  process?: boolean;
}

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });

  function once<M>(
    name: string,
    labels: readonly string[],
    make: (base: MetricConfiguration<string>) => M,
    help: string,
  ): M {
    const known = registry.getSingleMetric(name);
    if (!known) return make({ name, help, labelNames: [...labels], registers: [registry] });
    const have = (known as unknown as { labelNames: string[] }).labelNames;
    if (have.join() !== labels.join())
      throw new Error(`metric ${name} already exists with labels [${have.join(', ')}]`);
    return known as unknown as M;
  }

  const metrics: Metrics = {
    registry,
    counter: (name, help, labels = []) => once(name, labels, (base) => new Counter(base), help),
    gauge: (name, help, labels = [], collect) =>
      once(name, labels, (base) => new Gauge(collect ? { ...base, collect } : base), help),
    histogram: (name, help, labels = [], buckets = DURATION_BUCKETS) =>
      once(name, labels, (base) => new Histogram({ ...base, buckets }), help),
    httpServed: ({ service, method, route, status }, seconds) =>
      served.labels(service, method, route, String(status)).observe(seconds),
    httpCalled: ({ service, peer, method, status }, seconds) =>
      called.labels(service, peer, method, String(status)).observe(seconds),
    rpc: ({ side, method, outcome }, seconds) => rpc.labels(side, method, outcome).observe(seconds),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
  const served = metrics.histogram('fractus_http_server_seconds', 'HTTP requests served, by route pattern', [
    'service',
    'method',
    'route',
    'status',
  ]);
  const called = metrics.histogram('fractus_http_client_seconds', 'HTTP requests to neighbours', [
    'service',
    'peer',
    'method',
    'status',
  ]);
  const rpc = metrics.histogram('fractus_rpc_seconds', 'RPC messages, at the side that sends or handles them', [
    'side',
    'method',
    'outcome',
  ]);
  return metrics;
}
