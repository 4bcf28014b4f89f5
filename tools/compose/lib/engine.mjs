// A Docker to work with: the one that runs, or a dockerd of our own in a network namespace of its own, where every port
// is free and no rule of the machine's firewall is touched.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const works = (command, args, env) => spawnSync(command, args, { env, stdio: 'ignore' }).status === 0;
const START_MS = 60_000;

/** The command of docker-compose that is there, v2 before 1.29; null if none is. */
export function composeCommand() {
  if (works('docker', ['compose', 'version'])) return ['docker', 'compose'];
  return works('docker-compose', ['version']) ? ['docker-compose'] : null;
}

/**
 * An engine, or what keeps one from being had: `{ missing }`. `env` leads to it, `within` is put before commands that are
 * to reach published ports, `stop` ends what was started. `cache`: the folder where an engine of our own keeps images.
 */
export async function findEngine(cache) {
  if (!works('docker', ['--version'])) return { missing: 'docker is not installed: apt-get install docker.io' };
  if (!composeCommand()) return { missing: 'docker-compose is not installed: apt-get install docker-compose' };
  if (works('docker', ['info'])) return { env: process.env, own: false, within: [], stop: async () => undefined };
  if (process.getuid?.() !== 0) return { missing: 'no Docker answers, and only root can start one' };
  const absent = ['dockerd', 'containerd', 'ip', 'nsenter'].find((c) => !works('sh', ['-c', `command -v ${c}`]));
  if (absent) return { missing: `no Docker answers, and there is no ${absent} to start one` };
  return ownEngine(cache);
}

async function ownEngine(cache) {
  // short: the path of a socket has 107 bytes at most
  const folder = mkdtempSync(join(tmpdir(), 'fractus-dk-'));
  const name = folder.split('/').pop();
  const within = ['nsenter', `--net=/run/netns/${name}`];
  const file = join(folder, 'dockerd.log');
  if (!works('ip', ['netns', 'add', name])) return { missing: 'no network namespace can be made here' };
  spawnSync('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  const log = openSync(file, 'a');
  const args = ['--data-root', cache, '--exec-root', join(folder, 'run'), '--pidfile', join(folder, 'dockerd.pid')];
  const socket = `unix://${join(folder, 'docker.sock')}`;
  // nsenter becomes dockerd; a group of its own, so that Ctrl-C leaves it to us to end it last
  const child = spawn(within[0], [...within.slice(1), 'dockerd', ...args, '-H', socket], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise((done) => child.once('exit', done));
  let ended = false;
  void exited.then(() => (ended = true));
  const env = { ...process.env, DOCKER_HOST: socket };
  const stop = async () => {
    if (!ended) child.kill('SIGTERM');
    await exited;
    spawnSync('ip', ['netns', 'delete', name]);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + START_MS; !works('docker', ['info'], env); await sleep(250)) {
    if (!ended && Date.now() < until) continue;
    const words = readFileSync(file, 'utf8').trim().split('\n').slice(-3).join('\n');
    await stop();
    return { missing: `dockerd does not start here:\n${words}` };
  }
  return { env, own: true, within, stop };
}
