// One project of docker-compose, as the check uses it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { composeCommand } from './engine.mjs';
import { root } from './folders.mjs';

const PATIENCE_MS = 300_000;
/** End by themselves; all others are healthy or they are not up. */
const ONE_SHOT = ['migrate', 'seed'];

function run(command, args, { env, timeout = 900_000 } = {}) {
  const done = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', timeout, maxBuffer: 64 * 2 ** 20 });
  if (done.status === 0) return done.stdout;
  const words = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
  throw new Error(`${command} ${args.slice(0, 4).join(' ')} … failed (${done.status ?? done.signal}):\n${words}`);
}

export class Project {
  /** `interruption.came` ends waiting. */
  constructor(name, env, interruption) {
    this.name = name;
    this.interruption = interruption;
    this.env = { ...process.env, ...env };
  }

  compose(...args) {
    const [command, ...first] = composeCommand();
    return run(command, [...first, '-p', this.name, '-f', join(root, 'docker-compose.yml'), ...args], {
      env: this.env,
    });
  }

  docker(...args) {
    return run('docker', args, { env: this.env });
  }

  /** `docker inspect` of every container of the project. */
  containers() {
    const ids = this.docker('ps', '-aq', '--filter', `label=com.docker.compose.project=${this.name}`).split('\n');
    const known = ids.filter(Boolean);
    return known.length === 0 ? [] : JSON.parse(this.docker('inspect', ...known));
  }

  /** The containers of one service, in the order of their numbers. */
  of(service) {
    const number = (c) => Number(c.Config.Labels['com.docker.compose.container-number']);
    return this.containers()
      .filter((c) => serviceOf(c) === service)
      .sort((a, b) => number(a) - number(b));
  }

  logs(service) {
    return this.of(service).map((c) => {
      const done = spawnSync('docker', ['logs', c.Id], { env: this.env, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
      return done.stdout + done.stderr;
    });
  }

  async pause() {
    await sleep(500);
    if (this.interruption.came) throw new Error('interrupted');
  }

  /** Resolves when all but the one-shots are healthy; throws with the names and words of those that are not. */
  async healthy() {
    for (const until = Date.now() + PATIENCE_MS; ; await this.pause()) {
      const sick = this.containers().filter(
        (c) => !ONE_SHOT.includes(serviceOf(c)) && c.State.Health?.Status !== 'healthy',
      );
      if (sick.length === 0) return;
      if (Date.now() > until) throw new Error(`not healthy: ${sick.map(told).join('; ')}`);
    }
  }

  /** The end of a one-shot. */
  async ended(service) {
    for (const until = Date.now() + PATIENCE_MS; ; await this.pause()) {
      const [c] = this.of(service);
      if (c?.State.Status === 'exited') return c.State.ExitCode;
      if (Date.now() > until) throw new Error(`${service} does not end`);
    }
  }
}

export const serviceOf = (container) => container.Config.Labels['com.docker.compose.service'];

function told(c) {
  const last = c.State.Health?.Log?.at(-1)?.Output?.trim() ?? '';
  return `${c.Name.slice(1)} (${c.State.Status}, ${c.State.Health?.Status}: ${last.slice(0, 200)})`;
}
