import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '@fractus/objects';
import { parse as parseYaml } from 'yaml';
import type { RuleSource } from './parse';

/** An operator's rules by name. */
export type PolicyRules = Readonly<Record<string, RuleSource>>;

/** Reads a policy file (YAML or JSON). Throws `invalid` when it cannot be read or is no mapping of rules. */
export function readPolicyFile(path: string): PolicyRules {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (e) {
    throw invalid(`cannot read the policy file ${path}: ${(e as Error).message}`, { code: 'policy.file', cause: e });
  }
  return parsePolicyText(text, path);
}

/** Reads every file of a policy.d folder in the order of their names; later ones win. Hidden files are passed over. */
export function readPolicyDir(path: string): PolicyRules {
  const names = readdirSync(path, { withFileTypes: true }).filter((e) => e.isFile() && !e.name.startsWith('.'));
  return Object.assign(
    {},
    ...names
      .map((e) => e.name)
      .sort()
      .map((name) => readPolicyFile(join(path, name))),
  ) as PolicyRules;
}

export function parsePolicyText(text: string, where = 'policy'): PolicyRules {
  let tree: unknown;
  try {
    tree = parseYaml(text) ?? {};
  } catch (e) {
    throw invalid(`${where} is not YAML: ${(e as Error).message.split('\n')[0] ?? ''}`, {
      code: 'policy.file',
      cause: e,
    });
  }
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    throw invalid(`${where} must hold a mapping of rule names to checks`, { code: 'policy.file' });
  }
  const wrong = Object.entries(tree).filter(([, value]) => !isRuleSource(value));
  if (wrong.length > 0) {
    throw invalid(
      `${where}: these rules are neither text nor a list of lists of text: ${wrong.map(([k]) => k).join(', ')}`,
      { code: 'policy.file' },
    );
  }
  return tree as PolicyRules;
}

function isRuleSource(value: unknown): value is RuleSource {
  if (value === null || typeof value === 'string') return true;
  return (
    Array.isArray(value) &&
    value.every((v) => typeof v === 'string' || (Array.isArray(v) && v.every((x) => typeof x === 'string')))
  );
}
