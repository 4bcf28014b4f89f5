// What a run came to, for people.

/** Results of one set on one database, from the reports of its jobs. */
export function addUp(outcomes) {
  const rows = new Map();
  for (const { database, set, report, error, faults = [] } of outcomes) {
    const key = `${database} ${set.name}`;
    const row = rows.get(key) ?? { database, set, passed: 0, failed: 0, failures: [] };
    rows.set(key, row);
    if (error) fail(row, { test: 'the run as a whole', why: error.message });
    for (const [file, entry] of Object.entries(report?.files ?? {})) addFile(row, file, entry);
    for (const line of faults)
      fail(row, { test: "the service's log has a fault of its own", why: line.slice(0, 1500) });
  }
  return [...rows.values()];
}

function addFile(row, file, entry) {
  row.passed += (entry.passed ?? 0) + (entry.xfail ?? 0);
  if (entry.passed === undefined)
    return fail(row, { file, test: `${entry.tests} tests`, why: `not run: ${entry.state}` });
  for (const failure of entry.failures) fail(row, { file, test: failure.name, ...failure });
  // a test that was left out shows nothing
  for (let i = 0; i < entry.skipped; i++) fail(row, { file, test: 'a test', why: 'it was skipped' });
}

function fail(row, failure) {
  row.failed++;
  row.failures.push(failure);
}

export function text(rows) {
  const lines = [];
  for (const { database, set, passed, failed } of rows)
    lines.push(
      `${database.padEnd(8)} ${set.name.padEnd(12)} ${String(passed).padStart(4)}/${passed + failed}${set.note ? `   (${set.note})` : ''}`,
    );
  for (const { database, set, failures } of rows)
    for (const failure of failures) lines.push('', ...described(`${database}, ${set.name}`, failure));
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  return [...lines, '', `${total('passed')} passed, ${total('failed')} failed`].join('\n');
}

function described(where, { file, test, why, method, url, expected, got, body }) {
  const answer = got === undefined ? '' : `, got ${got}`;
  return [
    `FAIL ${where}: ${[file, test].filter(Boolean).join(': ')}`,
    ...(method ? [`     ${method} ${url}: expected ${expected}${answer}`] : []),
    ...indented(why),
    ...(body ? ['     the answer:', ...indented(body)] : []),
  ];
}

const indented = (words) =>
  String(words)
    .split('\n')
    .slice(0, 12)
    .map((line) => `       ${line.slice(0, 300)}`);
