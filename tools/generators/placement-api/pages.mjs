// Writes the API pages: one a resource, and the index of operations and versions.
import { STATUS_CODES } from 'node:http';
import { fieldsOf, parametersOf, spanText } from './fields.mjs';
import { FLAGS } from './words.mjs';

const MADE = 'Made by `node tools/generators/placement-api.mjs`; do not edit.';
const LAST = 39;
const minor = (version) => Number(version.split('.')[1]);
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const code = (text) => `\`${text}\``;
const list = (names) => names.map(code).join(', ');
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** A rule with the named rules in it written out. */
function policyText(name, rules) {
  const of = (rule) => {
    const found = rules.find((r) => r.name === rule);
    if (!found) throw new Error(`no policy rule ${rule}`);
    return found.check.replace(/rule:(\w+)/g, (_, inner) => {
      const text = of(inner);
      return text.includes(' and ') ? `(${text})` : text;
    });
  };
  return `\`${name}\`: ${code(of(name))}`;
}

const policiesOf = ({ spec }) => [spec.policy, ...(spec.policies ?? [])].filter((p) => typeof p === 'string');
const sinceOf = ({ spec }) => minor(spec.since ?? '1.0');

/** Every operation with what the tables know of it. */
export function describe(known) {
  const flagged = new Set(Object.keys(FLAGS));
  const flags = known.versions.changes.flatMap((c) => [...(c.turnsOn ?? []), ...(c.turnsOff ?? [])]);
  for (const flag of flags) if (!flagged.delete(flag)) throw new Error(`words.mjs does not say whom ${flag} concerns`);
  if (flagged.size) throw new Error(`words.mjs has flags that no version turns on: ${[...flagged].join(', ')}`);
  const names = new Set(known.operations.map((o) => o.name));
  const lost = Object.values(FLAGS)
    .flat()
    .filter((o) => o !== '*' && !names.has(o));
  if (lost.length) throw new Error(`words.mjs names operations that there are not: ${lost.join(', ')}`);
  return known.operations.map((operation) => {
    const fields = fieldsOf(operation, known);
    const parameters = parametersOf(operation.name, known.queries);
    return { operation, fields, parameters, changes: changesOf(operation, fields, parameters, known) };
  });
}

/** What the version `at` changes of fields or parameters; what changes with a member that holds it is not told again. */
function differences(what, rows, at, first) {
  if (at === first) return [];
  const before = new Set(rows.filter((r) => r.from < at && r.to >= at - 1).map((r) => r.path));
  const fresh = new Set(rows.filter((r) => r.from === at).map((r) => r.path));
  const gone = rows
    .filter((r) => r.to === at - 1 && !fresh.has(r.path) && !fresh.has(`${r.path}{S}`))
    .map((r) => r.path);
  const touched = [...fresh, ...gone];
  const told = (path) =>
    !touched.some((other) => path !== other && path.startsWith(other) && /[.[]/.test(path[other.length]));
  const tell = (words, paths) => (paths.filter(told).length ? [`${what} ${words} ${list(paths.filter(told))}`] : []);
  return [
    ...tell(
      'may have',
      [...fresh].filter((p) => !before.has(p)),
    ),
    ...tell(
      'has other rules for',
      [...fresh].filter((p) => before.has(p)),
    ),
    ...tell('has no more', gone),
  ];
}

/** What each version changes of an operation: [version, what]. */
function changesOf(operation, fields, parameters, { versions }) {
  const first = sinceOf(operation);
  const views = Object.values(operation.spec.views ?? {});
  const edges = typeof operation.spec.success === 'object' ? Object.keys(operation.spec.success) : [];
  const rows = [];
  for (const { version, summary, responses = [], turnsOn = [] } of versions.changes) {
    const at = minor(version);
    if (at < first) continue;
    const details = at === first ? ['The operation is there'] : [];
    const differs = (what, all) => details.push(...differences(what, all, at, first));
    differs('The body', fields);
    differs('The query', parameters);
    for (const change of responses.filter((r) => views.includes(r.view)))
      details.push(change.fields ? `The answer has ${list(change.fields)}` : 'The answer has another form');
    if (edges.some((span) => span.startsWith(`${version}-`))) details.push('Another status');
    const concerned = turnsOn.some((flag) => FLAGS[flag].includes(operation.name));
    if (details.length || concerned) rows.push([version, [summary, ...details.map((d) => `${d}.`)].join(' ')]);
  }
  return rows;
}

function statusText(operation, examples) {
  const seen = new Map();
  for (const { request, status } of examples.filter((e) => e.status < 300)) {
    const at = minor(request.version ?? `1.${LAST}`);
    seen.set(status, Math.min(at, seen.get(status) ?? LAST));
  }
  const { success } = operation.spec;
  if (typeof success !== 'object') return [...seen.keys()].sort().map(code).join(' or ');
  return Object.entries(success)
    .map(([span, status]) => `${code(status)} (${span.replace(/^-/, '–').replace('-', '–')})`)
    .join(', ');
}

const fieldTable = (rows, kind) =>
  table(
    [kind, 'type', 'needed', 'versions', 'rules', 'meaning'],
    rows.map((r) => [code(r.path), r.type, r.needed ? 'yes' : '', spanText(r.from, r.to), r.rules, r.meaning]),
  );
const parameterTable = (rows) =>
  table(
    ['parameter', 'needed', 'versions', 'rules', 'meaning'],
    rows.map((r) => [code(r.path), r.needed ? 'yes' : '', spanText(r.from, r.to), r.rules, r.meaning]),
  );

const json = (value) => ['```json', JSON.stringify(value), '```'].join('\n');
const versionOf = ({ request }) => request.version ?? `1.${LAST}`;

/** What an error says: in Placement's form, in that of identity, or as text. */
const wordsOf = (answer) =>
  typeof answer === 'string'
    ? (answer.trim().split('\n').at(-1) ?? '')
    : (answer?.errors?.[0]?.detail ?? answer?.error?.message ?? '');

function errorRow(example) {
  const [error] = example.answer?.errors ?? [];
  const told = minor(versionOf(example)) >= 23 ? error?.code : undefined;
  const [detail = ''] = wordsOf(example.answer).split('\n');
  const short = detail.length > 160 ? `${detail.slice(0, 160)}…` : detail;
  return [code(example.status), example.title, told ? code(told) : '', short.replaceAll('|', '\\|')];
}

function exampleText(example) {
  const { request, status, location, answer, title } = example;
  const asked = [
    `${request.method} ${request.path}`,
    ...(request.token === null ? [] : [`OpenStack-API-Version: placement ${versionOf(example)}`]),
  ];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...(location === undefined ? [] : [`Location: ${location}`]),
  ];
  return [
    `**${title}**`,
    ['```http', ...asked, '```'].join('\n'),
    ...(request.body === undefined ? [] : [json(request.body)]),
    ['```http', ...head, '```'].join('\n'),
    ...(answer === undefined ? [] : [json(answer)]),
  ].join('\n\n');
}

const versionsText = (operation) => (sinceOf(operation) === 0 ? 'In all versions' : `From 1.${sinceOf(operation)} on`);

function operationText({ operation, fields, parameters, changes }, page, known) {
  const examples = page.examples.filter((e) => e.of === operation.name);
  const good = examples.filter((e) => e.status < 300);
  if (!good.length) throw new Error(`${operation.name} has no example that succeeds`);
  const does = page.operations[operation.name];
  if (!does) throw new Error(`the page does not say what ${operation.name} does`);
  const bad = examples.filter((e) => e.status >= 400);
  const policies = policiesOf(operation).map((p) => policyText(p, known.rules));
  return [
    `## ${operation.name}`,
    does,
    `${versionsText(operation)}. Answers ${statusText(operation, examples)}. ${policies.length ? `Policy ${policies.join('; ')}.` : 'No policy; a token is not needed.'}`,
    ...(parameters.length ? [parameterTable(parameters)] : []),
    ...(fields.length ? [fieldTable(fields, 'field')] : []),
    ...(bad.length
      ? [table(['refused with', 'when', 'code', 'words'], bad.toSorted((a, b) => a.status - b.status).map(errorRow))]
      : []),
    ...(changes.length ? [table(['from', 'what changes'], changes)] : []),
    ...good.map(exampleText),
  ].join('\n\n');
}

export function resourcePage(page, described, known) {
  const own = described.filter((d) => Object.hasOwn(page.operations, d.operation.name));
  if (own.length !== Object.keys(page.operations).length)
    throw new Error(`${page.title}: an operation that there is not`);
  return [
    `# ${page.title}`,
    MADE,
    page.intro,
    'What holds for every operation (versions, errors, headers) is told [once](README.md). Examples are sent to a Placement by a test, one after the other; `request_id` and the address are made alike.',
    ...own.map((d) => operationText(d, page, known)),
  ].join('\n\n');
}

/** The index: every operation, every version. `files` maps an operation's name to its page. */
export function indexPage(described, files, { versions, pages }) {
  const mentions = (version) =>
    described.filter((d) => d.changes.some(([v]) => v === version)).map((d) => d.operation.name);
  const link = (name) => `[${name}](${files.get(name)}#${anchorOf(name)})`;
  const titles = new Map(pages);
  const pageLink = (name) => `[${titles.get(files.get(name))}](${files.get(name)})`;
  const everywhere = (c) => (c.turnsOn ?? []).some((f) => FLAGS[f].includes('*'));
  const changes = versions.changes.map((c) => {
    const names = mentions(c.version);
    if (!names.length && !everywhere(c)) throw new Error(`no page tells of version ${c.version}`);
    return [c.version, c.summary, everywhere(c) ? 'all' : [...new Set(names.map(pageLink))].join(', ')];
  });
  return [
    '# The API, operation by operation',
    MADE,
    `**Pages**: ${pages.map(([file, title]) => `[${title}](${file})`).join(', ')}.`,
    COMMON,
    '## Operations',
    table(
      ['operation', 'versions', 'policy'],
      described.map(({ operation }) => [
        link(operation.name),
        spanText(sinceOf(operation), LAST),
        policiesOf(operation).map(code).join(', '),
      ]),
    ),
    '## Versions',
    table(['version', 'what it changes', 'of'], changes),
  ].join('\n\n');
}

const COMMON = `## What holds everywhere

A request says its version by \`OpenStack-API-Version: placement 1.39\` (or \`latest\`); without the header it is 1.0. The
answer names the version that was served. Bodies are JSON in both directions.

| refused with | when |
| --- | --- |
| \`400\` | the version, the query or the body cannot be understood, or breaks its rules: the message names the field and the rule |
| \`401\` | no token, or one that identity does not know |
| \`403\` | the policy rule does not let the asker do it |
| \`404\` | no such path, thing or, in this version, operation |
| \`405\` | the path has no such method; \`Allow\` says which it has |
| \`406\` | a version out of range (the body has \`min_version\` and \`max_version\`), or a client that takes no JSON |
| \`409\` | a generation is not the current one (\`placement.concurrent_update\`: read again and repeat), or something is in use |
| \`415\` | the body is not said to be JSON |
| \`503\` | the database cannot be reached |

An error is \`{"errors": [{"status", "title", "detail", "request_id", "code"}]}\`; \`code\` comes with 1.23. Most errors have
\`placement.undefined_code\`, as upstream's have; clients tell the others apart by their code. A \`401\` has identity's form: \`{"error": {"code", "title", "message"}}\`.
From 1.15 on what is shown carries \`Last-Modified\` and \`Cache-Control: no-cache\`.`;
