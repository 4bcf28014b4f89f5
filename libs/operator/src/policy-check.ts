/** An operator's policy file against the rules that an API declares. */
import { existsSync, readFileSync } from 'node:fs';
import { isFractusError } from '@fractus/objects';
import {
  createEnforcer,
  parseRule,
  type PolicyRules,
  readPolicyFile,
  referencedRules,
  type RuleDefault,
} from '@fractus/policy';
import { failure, type Outcome, success, together, warning } from './upgrade-checks';

/**
 * Failure for a file that is not there, cannot be understood, or is written in JSON, which upstream takes no more;
 * warnings for what the process would log at its start, and for rules that no API asks for. No file: success.
 */
export function policyOutcome(what: string, file: string | undefined, rules: readonly RuleDefault[]): Outcome {
  if (file === undefined) return success();
  if (!existsSync(file)) return failure(`${what}: there is no policy file ${file}`);
  try {
    const given = readPolicyFile(file);
    const { problems } = createEnforcer({ rules, overrides: given });
    const unknown = unknownRules(given, rules);
    return together([
      isJson(file) ? failure(`${what}: the policy file ${file} is JSON: write it as YAML`) : success(),
      ...problems.map((p) => warning(`${what}: ${p}`)),
      ...unknown.map((name) => warning(`${what}: no API asks for the rule ${name}`)),
    ]);
  } catch (e) {
    if (isFractusError(e, 'invalid')) return failure(`${what}: ${e.message}`);
    throw e;
  }
}

/** By what is in it, as upstream finds it out; an empty file is YAML. */
function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Names that are neither declared, nor a former name, nor used by another rule of the file. */
function unknownRules(given: PolicyRules, rules: readonly RuleDefault[]): string[] {
  const known = new Set(['default', ...rules.flatMap((r) => [r.name, r.deprecated?.name ?? r.name])]);
  for (const source of Object.values(given))
    for (const name of referencedRules(parseRule(source).expression)) known.add(name);
  return Object.keys(given).filter((name) => !known.has(name));
}
