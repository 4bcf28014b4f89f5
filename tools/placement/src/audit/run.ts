/** `placement audit`: looks, tells, and with `--fix` removes what is proven orphan. */
import { auditHoldings, count, EXIT, type ExitCode, type Output, table } from '@fractus/operator';
import { type Fixed, type FixOptions, removeOrphans } from './fix';
import { type Apis, readAudited } from './read';

export interface AuditOptions extends FixOptions {
  readonly fix: boolean;
  readonly json: boolean;
}

export async function audit(apis: Apis, { fix, json, ...options }: AuditOptions, output: Output): Promise<ExitCode> {
  const audited = await readAudited(apis);
  const findings = auditHoldings(audited);
  const fixed = fix ? await removeOrphans(apis, findings, options) : new Map<string, Fixed>();
  const told = findings.map(({ kind, id, text, byHand }) => {
    const result = kind === 'orphan' ? fixed.get(id) : undefined;
    return { kind, id, text, ...(byHand ? { byHand } : {}), ...(result ?? {}) };
  });
  const left = told.filter((f) => !('fixed' in f && f.fixed));
  if (json) output.out(JSON.stringify({ findings: told }));
  else if (told.length === 0)
    output.out(`${count(audited.consumers.length, 'consumer')} on ${count(audited.providers.length, 'provider')}: all fit`);
  else
    for (const line of table(['KIND', 'FINDING', ''], told.map((f) => [f.kind, f.text, wordOf(f, fix)]))) output.out(line); // prettier-ignore
  if (!json && told.length > 0) output.out(`${count(told.length, 'finding')}, ${told.length - left.length} removed`);
  return left.length === 0 ? EXIT.done : EXIT.none;
}

function wordOf({ fixed, why, byHand }: { fixed?: boolean; why?: string; byHand?: string }, fix: boolean): string {
  if (fixed) return 'removed';
  if (why !== undefined) return `not removed: ${why}`;
  return !fix && byHand ? `by hand: ${byHand}` : '';
}
