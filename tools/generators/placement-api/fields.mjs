// Reads request schemas and the table of query parameters as rows of a table, merged over the versions that they hold in.
import { FIELDS, PARAMETERS } from './words.mjs';

const MINOR = (version) => Number(version.split('.')[1]);
const LAST = 39;

/** `1.8–`, `–1.18`, `1.12–1.27`, `all`, for minor versions from, to. */
export function spanText(from, to) {
  if (from === 0 && to === LAST) return 'all';
  if (from === to) return `1.${from}`;
  return `${from === 0 ? '' : `1.${from}`}–${to === LAST ? '' : `1.${to}`}`;
}

const plain = (pattern) => pattern.replaceAll('(?=\\n?$)', '$');
const keyOf = (pattern) =>
  pattern.includes('{36}') ? '{uuid}' : plain(pattern) === '^[A-Z0-9_]+$' ? '{class}' : '{suffix}';

function typeOf(schema) {
  const types = [schema.type].flat();
  const [type] = types;
  if (type === 'array') return `list of ${typeOf(schema.items)}s`;
  if (schema.patternProperties) return `object by ${keyOf(Object.keys(schema.patternProperties)[0]).slice(1, -1)}`;
  return [schema.format ?? type, ...types.slice(1)].join(' or ');
}

/** What else holds of a value, in few words. */
export function rulesOf(schema) {
  const { minimum: min, maximum: max, minLength: short, maxLength: long } = schema;
  const rules = [];
  if (min !== undefined && max !== undefined) rules.push(`${min} to ${max}`);
  else if (min !== undefined) rules.push(`${min} or more`);
  else if (max !== undefined) rules.push(`${max} or less`);
  if (short !== undefined && long !== undefined) rules.push(`${short} to ${long} characters`);
  else if (long !== undefined) rules.push(`at most ${long} characters`);
  if (schema.pattern !== undefined) rules.push(`\`${plain(schema.pattern).replaceAll('|', '\\|')}\``);
  if (schema.enum) rules.push(schema.enum.map((e) => `\`${e}\``).join(' or '));
  if (schema.minItems) rules.push(`at least ${schema.minItems}`);
  if (schema.minProperties) rules.push(`at least ${schema.minProperties} member`);
  if (schema.uniqueItems) rules.push('no two alike');
  if (schema.items?.maxLength) rules.push(`each ${rulesOf(schema.items)}`);
  return rules.join(', ');
}

/** Rows of a schema: path, type, whether required, rules. */
function rowsOf(schema, path, needed, rows) {
  if (path !== '') rows.push({ path, type: typeOf(schema), needed, rules: rulesOf(schema) });
  const join = (name) => (path === '' ? name : `${path}.${name}`);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    rowsOf(member, join(name), schema.required?.includes(name) ?? false, rows);
  for (const [pattern, member] of Object.entries(schema.patternProperties ?? {})) {
    const inner = [];
    rowsOf(member, join(keyOf(pattern)), false, inner);
    // of an object by name, the row of the name alone says nothing
    rows.push(...(inner.length > 1 ? inner.slice(1) : inner));
  }
  if (schema.items?.properties) {
    const inner = [];
    rowsOf(schema.items, `${path}[]`, true, inner);
    rows.push(...inner.slice(1));
  }
  return rows;
}

/** Before the newest form of a body some had no name of their own. */
function bodyRows(schema) {
  const root = schema.properties?.root;
  if (!root || Object.keys(schema.properties).length > 1) return rowsOf(schema, '', false, []);
  return root.type === 'array'
    ? [{ path: '[]', type: typeOf(root), needed: true, rules: rulesOf(root) }]
    : rowsOf(root, '', false, []);
}

function meaningOf(name, path) {
  const last = path
    .split('.')
    .at(-1)
    .replace(/^(.+)\[\]$/, '$1');
  const meaning = FIELDS[`${name} ${path}`] ?? FIELDS[last];
  if (meaning === undefined) throw new Error(`words.mjs has no meaning for the field ${path} of ${name}`);
  return meaning;
}

/** Fields of an operation's body, each with the versions [from, to] that it has this form in. */
export function fieldsOf({ name, spec }, { jsonSchemaOf, edgesOfClass }) {
  if (!spec.body) return [];
  const first = MINOR(spec.since ?? '1.0');
  const starts = [
    first,
    ...edgesOfClass(spec.body)
      .map((e) => e % 10_000)
      .filter((e) => e > first),
  ];
  const merged = [];
  for (const [i, from] of starts.entries()) {
    const to = (starts[i + 1] ?? LAST + 1) - 1;
    for (const row of bodyRows(jsonSchemaOf(spec.body, `1.${from}`))) {
      const alike = (m) => ['path', 'type', 'needed', 'rules'].every((k) => m[k] === row[k]) && m.to === from - 1;
      const known = merged.find(alike);
      if (known) known.to = to;
      else merged.push({ ...row, from, to, meaning: meaningOf(name, row.path) });
    }
  }
  return inOrder(merged, bodyRows(jsonSchemaOf(spec.body, `1.${LAST}`)));
}

/** As the newest form has its members; what is in them follows each. */
function inOrder(rows, newest) {
  const topOf = ({ path }) => path.split(/[.[]/)[0];
  const tops = [...new Set(newest.map(topOf))];
  const paths = [...new Set(rows.map((r) => r.path))];
  const key = (r) => tops.indexOf(topOf(r)) * paths.length + paths.indexOf(r.path);
  return rows.toSorted((a, b) => key(a) - key(b) || a.from - b.from);
}

const bounds = (span) => {
  const [from, to] = span.split('-');
  return { from: MINOR(from), to: to === '' ? LAST : MINOR(to) };
};

/** Query parameters of an operation, each with the versions [from, to] that take it so. */
export function parametersOf(name, queries) {
  const spec = queries[name];
  if (!spec) return [];
  const meaning = (parameter) => {
    const found = PARAMETERS[`${name} ${parameter}`] ?? PARAMETERS[parameter];
    if (found === undefined) throw new Error(`words.mjs has no meaning for the parameter ${parameter} of ${name}`);
    return found;
  };
  const plainOnes = Object.entries(spec.parameters).flatMap(([parameter, given]) =>
    [given].flat().map(({ versions, schema, required = false }) => ({
      path: parameter,
      needed: required,
      rules: schema.format ?? rulesOf(schema),
      ...bounds(versions),
      meaning: meaning(parameter),
    })),
  );
  const grouped = (spec.patterns ?? []).flatMap(({ versions, names, suffix }) =>
    names.map((parameter) => ({
      path: `${parameter}{S}`,
      needed: false,
      rules: `S is empty or \`${suffix}\``,
      ...bounds(versions),
      meaning: meaning(parameter),
    })),
  );
  return [...plainOnes, ...mergeAlike(grouped)];
}

/** Rows that differ in their versions only, and follow each other, are one. */
function mergeAlike(rows) {
  const places = ['resources', 'required', 'member_of', 'in_tree'].map((n) => `${n}{S}`);
  const merged = [];
  for (const row of rows.toSorted((a, b) => places.indexOf(a.path) - places.indexOf(b.path) || a.from - b.from)) {
    const last = merged.at(-1);
    if (last && last.path === row.path && last.rules === row.rules && last.to === row.from - 1) last.to = row.to;
    else merged.push(row);
  }
  return merged;
}
