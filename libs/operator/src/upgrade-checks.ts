/**
 * What is looked at before an upgrade, and how it is told: one verdict a check, a table or JSON, and an exit code, all
 * as upstream's `placement-status` and `nova-status` have them (oslo.upgradecheck): 0 success, 1 at least a warning,
 * 2 at least a failure, 255 something unexpected, of which nothing can be told.
 */
import { EXIT, type ExitCode, type Output, sentenceOf } from './command';
import { table } from './text';

/** By rank: the worst of all checks is the command's. */
export const UPGRADE_VERDICTS = ['success', 'warning', 'failure'] as const;
export type UpgradeVerdict = (typeof UPGRADE_VERDICTS)[number];

export interface Outcome {
  readonly verdict: UpgradeVerdict;
  /** Sentences; none where there is nothing to say. */
  readonly details: readonly string[];
}

export interface UpgradeCheck<S> {
  readonly name: string;
  /** An error is no verdict: it ends the command with 255. */
  run(subject: S): Promise<Outcome>;
}

export interface UpgradeResult extends Outcome {
  readonly name: string;
}

export const success = (...details: string[]): Outcome => ({ verdict: 'success', details });
export const warning = (...details: string[]): Outcome => ({ verdict: 'warning', details });
export const failure = (...details: string[]): Outcome => ({ verdict: 'failure', details });

/** The worse of the verdicts, with the details of all; success where there are none. */
export function together(outcomes: readonly Outcome[]): Outcome {
  return { verdict: worst(outcomes), details: outcomes.flatMap((o) => o.details) };
}

const worst = (outcomes: readonly Outcome[]): UpgradeVerdict =>
  UPGRADE_VERDICTS[Math.max(0, ...outcomes.map((o) => UPGRADE_VERDICTS.indexOf(o.verdict)))] ?? 'failure';

/** Runs the checks one after the other, tells them, and resolves to the exit code. */
export async function upgradeCheck<S>(
  checks: readonly UpgradeCheck<S>[],
  subject: S,
  output: Output,
  { json = false }: { json?: boolean } = {},
): Promise<ExitCode> {
  const results: UpgradeResult[] = [];
  for (const { name, run } of checks) {
    try {
      results.push({ name, ...(await run(subject)) });
    } catch (e) {
      output.err(`${name}: ${sentenceOf(e)}`);
      return EXIT.unexpected;
    }
  }
  for (const line of json ? [asJson(results)] : asTable(results)) output.out(line);
  return [EXIT.done, EXIT.none, EXIT.usage][UPGRADE_VERDICTS.indexOf(worst(results))] ?? EXIT.unexpected;
}

/** The members that oslo.upgradecheck's JSON has. */
function asJson(results: readonly UpgradeResult[]): string {
  const checks = results.map(({ name, verdict, details }) => ({
    check: name,
    result: UPGRADE_VERDICTS.indexOf(verdict),
    details: details.length > 0 ? details.join('\n') : null,
  }));
  return JSON.stringify({ name: 'Upgrade Check Results', checks });
}

function asTable(results: readonly UpgradeResult[]): string[] {
  const rows = results.flatMap(({ name, verdict, details }) => {
    const [first = '', ...more] = details;
    return [[name, verdict, first], ...more.map((line) => ['', '', line])];
  });
  return table(['CHECK', 'RESULT', 'DETAILS'], rows);
}
