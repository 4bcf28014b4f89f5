/** Runs the checks and sums up. A check that fails says nothing about what it looks at: it cannot be told. */
import { sentenceOf } from '@fractus/operator';
import { CHECKS } from './checks';
import { type Check, type Finding, NotHere } from './checks/check';
import type { Patient } from './patient';

export interface Told {
  readonly name: string;
  readonly looked?: string;
  readonly findings: readonly Finding[];
  /** Why it cannot be told. */
  readonly unknown?: string;
  /** Why there is nothing to look at. */
  readonly skipped?: string;
}

export const VERDICTS = ['well', 'findings', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Examination {
  readonly verdict: Verdict;
  readonly checks: readonly Told[];
}

/** One after the other: a night's doctor must not be a load of its own. */
export async function examine(patient: Patient, checks: readonly Check[] = CHECKS): Promise<Examination> {
  const told: Told[] = [];
  for (const check of checks) told.push(await tell(patient, check));
  return { verdict: verdictOf(told), checks: told };
}

async function tell(patient: Patient, { name, run }: Check): Promise<Told> {
  try {
    const { looked, findings } = await run(patient);
    return { name, looked, findings };
  } catch (e) {
    if (e instanceof NotHere) return { name, findings: [], skipped: e.message };
    return { name, findings: [], unknown: sentenceOf(e) };
  }
}

function verdictOf(told: readonly Told[]): Verdict {
  if (told.some((t) => t.findings.length > 0)) return 'findings';
  return told.some((t) => t.unknown !== undefined) ? 'unknown' : 'well';
}

/** For people: a line a check, findings under it, the verdict last. A reason that many checks have is told once. */
export function report({ verdict, checks }: Examination): string[] {
  const said = new Set<string>();
  const lines = checks.flatMap((told) => {
    const again = told.unknown !== undefined && said.has(told.unknown);
    for (const text of [told.unknown, ...told.findings.map((f) => f.text)]) if (text !== undefined) said.add(text);
    return linesOf(again ? { ...told, unknown: 'for a reason that is told above' } : told);
  });
  return [...lines, '', verdictLine(verdict, checks)];
}

function linesOf({ name, looked = '', findings, unknown, skipped }: Told): string[] {
  const head = name.padEnd(12);
  if (skipped !== undefined) return [`${head} –        ${skipped}`];
  if (unknown !== undefined) return [`${head} UNKNOWN  ${unknown}`];
  if (findings.length === 0) return [`${head} ok       ${looked}`];
  return findings.flatMap(({ text, hint }, i) => [
    `${i === 0 ? head : ' '.repeat(12)} ${i === 0 ? 'FINDING ' : '        '} ${text}`,
    ...(hint === undefined ? [] : [`${' '.repeat(22)}→ ${hint}`]),
  ]);
}

function verdictLine(verdict: Verdict, checks: readonly Told[]): string {
  const looked = checks.filter((c) => c.skipped === undefined);
  const blind = looked.filter((c) => c.unknown !== undefined).map((c) => c.name);
  const found = looked.reduce((sum, c) => sum + c.findings.length, 0);
  const blindness = blind.length > 0 ? `; cannot tell of: ${blind.join(', ')}` : '';
  switch (verdict) {
    case 'well':
      return `All well (${looked.length} checks).`;
    case 'findings':
      return `${found} ${found === 1 ? 'finding' : 'findings'}${blindness}.`;
    case 'unknown':
      return `Nothing found${blindness}.`;
  }
}
