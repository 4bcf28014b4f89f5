import type { SchedulingOptions } from '../options';
import type { Fact, HostVerdict, HostView, ScheduleRequest } from '../types';

/** What a filter is asked: may this request go to this host? Pure; upstream's class name is its name. */
export interface HostFilter<Name extends string = string, Code extends string = string> {
  readonly name: Name;
  /** Runs whatever the options say: what it checks was asked for by the user, or is the scheduler's own rule. */
  readonly always: boolean;
  /** Code → the words that follow a count of hosts in a summary ("4 disabled"). No host names in them: users see this. */
  readonly codes: Readonly<Record<Code, string>>;
  verdict(host: HostView, request: ScheduleRequest, options: SchedulingOptions): HostVerdict;
}

export type Reject<Code extends string> = (code: Code, have: Fact, need: Fact, sentence: string) => HostVerdict;

interface Definition<Name extends string, Code extends string> {
  readonly name: Name;
  readonly always?: boolean;
  readonly codes: Readonly<Record<Code, string>>;
  /** Null lets the host pass. */
  check(
    host: HostView,
    request: ScheduleRequest,
    options: SchedulingOptions,
    reject: Reject<NoInfer<Code>>,
  ): HostVerdict | null;
}

const PASSED: HostVerdict = Object.freeze({ pass: true });
const rejection: Reject<string> = (code, have, need, sentence) => ({ pass: false, code, have, need, sentence });

/** A filter that can only reject with a code that it declares. */
export function defineFilter<const Name extends string, const Code extends string>(
  definition: Definition<Name, Code>,
): HostFilter<Name, Code> {
  const { name, always = false, codes, check } = definition;
  return {
    name,
    always,
    codes,
    verdict: (host, request, options) => check(host, request, options, rejection) ?? PASSED,
  };
}
