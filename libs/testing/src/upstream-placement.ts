/**
 * Upstream's own Placement, where this machine has it: the package python3-placement, and beside the reference data the
 * script that serves it without identity. Its token is `admin`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually';
import { sharedFile } from './nova-contract';
import { freePorts } from './ports';

export interface UpstreamPlacement {
  readonly url: string;
  close(): Promise<void>;
}

const SCRIPT = 'conformance/placement/serve_reference.py';

/** The Python that has the package; the one of the system may not be the first on the path. */
function python(): string | undefined {
  const has = (name: string): boolean => spawnSync(name, ['-c', 'import placement'], { stdio: 'ignore' }).status === 0;
  return ['python3', '/usr/bin/python3'].find(has);
}

/** Why there is none here; null where it can be started. */
export function noUpstreamPlacement(): string | null {
  if (!sharedFile(SCRIPT)) return `skipped: ${SCRIPT} is not at hand`;
  return python() ? null : 'skipped: python3-placement is not installed';
}

/** Starts it on a free port, with an empty database of its own. */
export async function startUpstreamPlacement(): Promise<UpstreamPlacement> {
  const [script, command] = [sharedFile(SCRIPT), python()];
  if (!script || !command) throw new Error(noUpstreamPlacement() ?? 'it is gone');
  const dir = mkdtempSync(join(tmpdir(), 'fractus-upstream-'));
  const [port] = (await freePorts(1)) as [number];
  const args = [script, '--port', String(port), '--dir', dir, '--server', 'wsgiref'];
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await eventually("upstream's Placement answers", async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`);
      return fetch(`${url}/`).then(
        (answer) => answer.ok || `it answers ${answer.status}`,
        () => 'nobody listens yet',
      );
    });
  } catch (e) {
    await close();
    throw e;
  }
  return { url, close };
}
