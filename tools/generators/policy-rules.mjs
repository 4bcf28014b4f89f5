// Writes the tables of policy rules (names, defaults, scopes, operations) from a JSON description of them.
// Files of our own rules, which say OURS, are kept.
//   node tools/generators/policy-rules.mjs --from nova-policies.json --to libs/policy/src/rules/compute --export computeRules
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';

const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string' }, export: { type: 'string' } },
});
for (const name of ['from', 'to', 'export']) {
  if (!values[name]) {
    console.error(`--${name} is needed`);
    process.exit(1);
  }
}

const camel = (name) => name.replace(/[_-](\w)/g, (_m, c) => c.toUpperCase());
const { rules } = JSON.parse(readFileSync(values.from, 'utf8'));
const modules = Map.groupBy?.(rules, (r) => r.module) ?? group(rules);
const style = { ...(await resolveConfig(values.to)), parser: 'typescript' };

mkdirSync(values.to, { recursive: true });
const OURS = '/** Of operations that upstream has not. */';
const written = [];
for (const file of readdirSync(values.to).filter((f) => f.endsWith('.rules.ts'))) {
  const text = readFileSync(join(values.to, file), 'utf8');
  if (text.includes(OURS)) written.push({ file: file.replace(/\.ts$/, ''), name: /export const (\w+)/.exec(text)[1] });
  else rmSync(join(values.to, file));
}
for (const [module, own] of [...modules].sort(([a], [b]) =>
  a === 'base' ? -1 : b === 'base' ? 1 : a.localeCompare(b),
)) {
  const file = `${module.replace(/_/g, '-')}.rules`;
  const name = `${camel(module)}Rules`;
  const text = `import type { RuleDefault } from '../../rule-default';

export const ${name} = ${JSON.stringify(own.map(toRule))} as const satisfies readonly RuleDefault[];
`;
  writeFileSync(join(values.to, `${file}.ts`), await format(text, style));
  written.push({ file, name });
}
const typeName = values.export[0].toUpperCase() + values.export.slice(1, -1) + 'Name';
const index = `${written.map(({ file, name }) => `import { ${name} } from './${file}';`).join('\n')}

/** Every rule under upstream's name with upstream's default. Made by tools/generators/policy-rules.mjs. */
export const ${values.export} = [${written.map(({ name }) => `...${name}`).join(', ')}] as const;

export type ${typeName} = (typeof ${values.export})[number]['name'];
`;
writeFileSync(join(values.to, 'index.ts'), await format(index, style));
console.log(`${rules.length} rules in ${written.length} files`);

function toRule(rule) {
  const { name, check, scope_types, operations, deprecated_rule, deprecated_for_removal } = rule;
  return {
    name,
    check,
    ...(scope_types ? { scopeTypes: scope_types } : {}),
    ...(operations?.length ? { operations: operations.map(({ method, path }) => ({ method, path })) } : {}),
    ...(deprecated_rule ? { deprecated: pick(deprecated_rule) } : {}),
    ...(deprecated_for_removal ? { deprecatedForRemoval: { since: deprecated_for_removal.since } } : {}),
  };
}

function pick({ name, check, since }) {
  return { name, check, ...(since ? { since } : {}) };
}

function group(list) {
  const map = new Map();
  for (const rule of list) map.set(rule.module, [...(map.get(rule.module) ?? []), rule]);
  return map;
}
