import { serviceIsUp, type Service } from '@fractus/compute-db';

export interface LivenessRules {
  /** Milliseconds without a sign of life after which a service counts as down (60 s upstream). */
  readonly downAfterMs: number;
  readonly now: () => number;
}

/** Whether services are up, by the last sign of life that was written down. */
export class ServiceLiveness {
  constructor(private readonly rules: LivenessRules) {}

  isUp(service: Pick<Service, 'forcedDown' | 'lastSeenAt'>): boolean {
    return serviceIsUp(service, this.rules.now(), this.rules.downAfterMs);
  }
}
