// python3-nova in one process: cases go in as JSON lines, answers come out in the same order.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** The first Python that has nova, or undefined. */
export function findNova(asked) {
  const candidates = asked ? [asked] : ['/usr/bin/python3', 'python3'];
  const check = 'import importlib.util as u, sys; sys.exit(0 if u.find_spec("nova.scheduler.filters") else 1)';
  return candidates.find((python) => spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0);
}

/** The answers to all cases; throws when there are fewer than cases. */
export async function askUpstream(python, cases) {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' };
  const child = spawn(python, [join(import.meta.dirname, '../runner.py')], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let complaint = '';
  child.stderr.on('data', (text) => (complaint = (complaint + String(text)).slice(-2000)));
  child.stdin.on('error', () => undefined); // it ended early: told below by what is missing
  Readable.from(cases.map((c) => `${JSON.stringify(c)}\n`)).pipe(child.stdin);
  const answers = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
  await ended;
  if (answers.length !== cases.length)
    throw new Error(`python3-nova answered ${answers.length} of ${cases.length} cases. ${complaint}`);
  return answers;
}
