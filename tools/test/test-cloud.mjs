// A cloud of its own for a script: a fresh state folder, free ports, stopped and removed at the end.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, root } from '../start/checks.mjs';

const OFFSETS = [0, 3774, 3778, 4292, 4696];

const free = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });

/** A port base at which every service's port is free right now. */
export async function freePortBase() {
  for (let tries = 0; tries < 200; tries++) {
    const base = 12_000 + Math.floor(Math.random() * 16_000);
    const states = await Promise.all(OFFSETS.map((offset) => free(base + offset)));
    if (states.every(Boolean)) return base;
  }
  throw new Error('no free range of ports found');
}

/** Starts a cloud process and resolves once it has said `ready`. `stop()` ends it; `kill()` does so without warning. */
export async function launchCloud({ stateDir, portBase, args = [] }) {
  const bundle = ensureBuilt('cloud');
  const child = spawn(process.execPath, [bundle, '--state-dir', stateDir, '--port-base', String(portBase), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise((resolve, reject) => {
    const see = (chunk) => {
      output += chunk;
      if (/\bready\b[^\n]*\n?$/m.test(output)) resolve();
    };
    child.stdout.on('data', see);
    child.stderr.on('data', see);
    void exited.then(({ code, signal }) =>
      reject(new Error(`the cloud ended (code ${code}, signal ${signal}) before it was ready:\n${output}`)),
    );
  });
  const env = { OS_CLIENT_CONFIG_FILE: join(stateDir, 'clouds.yaml'), OS_CLOUD: 'fractus' };
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  return { child, env, output: () => output, stop, kill: () => stop('SIGKILL') };
}

/** A cloud in a temporary folder. `close()` stops it and removes the folder. */
export async function temporaryCloud(args = []) {
  const stateDir = mkdtempSync(join(tmpdir(), 'fractus-cloud-'));
  const portBase = await freePortBase();
  const cloud = await launchCloud({ stateDir, portBase, args });
  const close = async () => {
    const end = await cloud.stop();
    rmSync(stateDir, { recursive: true, force: true });
    return end;
  };
  return { ...cloud, stateDir, portBase, close };
}

/** A cloud of separate processes in a temporary folder. `close()` stops it and removes the folder. */
export async function temporaryCluster(args = []) {
  const stateDir = mkdtempSync(join(tmpdir(), 'fractus-cluster-'));
  const portBase = await freePortBase();
  const cluster = (...rest) => {
    const command = [join(root, 'tools/cluster/cluster.mjs'), '--state-dir', stateDir, ...rest];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`cluster ${rest[0]} failed:\n${stdout}${stderr}`);
  };
  const close = async () => {
    cluster('down'); // throws unless it ends with code 0
    rmSync(stateDir, { recursive: true, force: true });
    return { code: 0 };
  };
  try {
    cluster('up', '--detach', '--port-base', String(portBase), ...args);
  } catch (e) {
    await close().catch(() => undefined);
    throw e;
  }
  return {
    env: { OS_CLIENT_CONFIG_FILE: join(stateDir, 'clouds.yaml'), OS_CLOUD: 'fractus' },
    stateDir,
    portBase,
    close,
  };
}
