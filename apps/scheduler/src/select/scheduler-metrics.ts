import type { Metrics } from '@fractus/telemetry';

/** What the scheduler counts. */
export class SchedulerMetrics {
  private readonly seconds;

  constructor(metrics: Metrics, hosts: () => number) {
    this.seconds = metrics.histogram('fractus_scheduler_attempt_seconds', 'Attempts to find a host for a server', [
      'operation',
      'outcome',
    ]);
    metrics.gauge('fractus_scheduler_hosts', 'Compute nodes known to the scheduler', [], function () {
      this.set(hosts());
    });
  }

  attempt(operation: string, outcome: string, seconds: number): void {
    this.seconds.labels(operation, outcome).observe(seconds);
  }
}
