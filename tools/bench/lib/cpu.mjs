// CPU seconds of the servers: each named process with all its descendants, so that workers count for their parent.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { UsageError } from './target.mjs';

/** `a=12,b=13` or `12,13` → {name: pid}. */
export function parsePids(text) {
  const named = text.split(',').map((part) => {
    const [name, pid] = part.includes('=') ? part.split('=') : [part.trim(), part];
    if (!/^\s*\d+\s*$/.test(pid)) throw new UsageError(`--pids: ${part} is not a process id, nor name=id`);
    return [name.trim(), Number(pid)];
  });
  return Object.fromEntries(named);
}

/** A pids.json ({name: pid}) or a plain file with one number, named after the file. */
export function readPidFile(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (e) {
    throw new UsageError(`--pid-file: ${e.message}`);
  }
  if (/^\d+$/.test(text)) return { [basename(file).replace(/\.pid$/, '')]: Number(text) };
  let pids;
  try {
    pids = JSON.parse(text);
  } catch {
    throw new UsageError(`--pid-file: ${file} is neither a number nor JSON`);
  }
  for (const [name, pid] of Object.entries(pids)) {
    if (!Number.isInteger(pid)) throw new UsageError(`--pid-file: ${name} in ${file} is not a process id`);
  }
  return pids;
}

/** `[[dd-]hh:]mm:ss[.cc]`, as ps prints CPU time → seconds. */
export function parsePsTime(text) {
  const [days, clock] = text.includes('-') ? text.split('-') : ['0', text];
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}

/** The fields we need of /proc/<pid>/stat; the command in it may hold spaces and brackets. */
export function parseStat(text, ticksPerSecond = 100) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond };
}

/** Every process of the machine: Map pid → {parent, seconds}. */
function processes() {
  const all = new Map();
  if (process.platform === 'linux') {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        all.set(Number(pid), parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      } catch {
        // it has ended meanwhile
      }
    }
    return all;
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,time='], { encoding: 'utf8' });
  for (const line of stdout.split('\n').filter(Boolean)) {
    const [pid, parent, time] = line.trim().split(/\s+/);
    all.set(Number(pid), { parent: Number(parent), seconds: parsePsTime(time) });
  }
  return all;
}

/** Seconds per pid of every named process and its descendants: {name: Map pid → seconds}. */
export function attribute(pids, all) {
  const owner = new Map(Object.entries(pids).map(([name, pid]) => [pid, name]));
  const ownerOf = (pid, depth = 0) => {
    if (owner.has(pid)) return owner.get(pid);
    const known = all.get(pid);
    return known && depth < 32 ? ownerOf(known.parent, depth + 1) : undefined;
  };
  const out = Object.fromEntries(Object.keys(pids).map((name) => [name, new Map()]));
  for (const [pid, { seconds }] of all) {
    const name = ownerOf(pid);
    if (name !== undefined) out[name].set(pid, seconds);
  }
  return out;
}

export class CpuMeter {
  constructor(pids) {
    this.pids = pids;
    this.before = attribute(pids, processes());
    const gone = Object.entries(pids).filter(([name, pid]) => !this.before[name].has(pid));
    if (gone.length)
      throw new UsageError(`no such process: ${gone.map(([name, pid]) => `${name} (${pid})`).join(', ')}`);
  }

  /** CPU seconds since the start: {total, by: {name: seconds}}. */
  read() {
    return difference(this.before, attribute(this.pids, processes()));
  }
}

export function difference(before, after) {
  const by = {};
  for (const name of Object.keys(after)) {
    by[name] = 0;
    for (const [pid, seconds] of after[name]) by[name] += seconds - (before[name].get(pid) ?? 0);
  }
  return { total: Object.values(by).reduce((a, b) => a + b, 0), by };
}
