import type { ComputeRuleName, Enforcer, Target } from '@fractus/policy';
import type { RequestContext } from '@fractus/objects';

/** Policy questions that a handler asks itself: with a target it had to read first, or to widen its answer. */
export class Policy {
  constructor(private readonly enforcer: Enforcer<ComputeRuleName>) {}

  /** Throws `forbidden` unless the rule allows. Without a target the asker is their own. */
  authorize(ctx: RequestContext, rule: ComputeRuleName, target?: Target): void {
    this.enforcer.authorize(ctx, rule, target);
  }

  may(ctx: RequestContext, rule: ComputeRuleName, target?: Target): boolean {
    return this.enforcer.check(ctx, rule, target);
  }

  isAdmin(ctx: RequestContext): boolean {
    return this.enforcer.isAdmin(ctx);
  }
}
