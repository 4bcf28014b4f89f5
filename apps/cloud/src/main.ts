import 'reflect-metadata';
import { isFractusError } from '@fractus/objects';
import { servedPorts, startCloud, type RunningCloud } from './app.module';
import { cloudsYaml } from './clouds-yaml';
import { OptionError, parseOptions, type CloudOptions } from './options';
import { findFreeBase, portsFrom, probePort, SERVED } from './ports';
import { StateDir, writePrivate } from './state-dir';

/** Ends with one clear line and code 1. */
function fail(line: string): never {
  console.error(`fractus: ${line}`);
  process.exit(1);
}

async function checkPorts({ bind, portBase }: CloudOptions): Promise<void> {
  const ports = portsFrom(portBase);
  for (const name of SERVED) {
    const state = await probePort(bind, ports[name]);
    if (state === 'free') continue;
    if (state !== 'EADDRINUSE') throw new OptionError(`cannot listen on ${bind}:${ports[name]} (${name}): ${state}`);
    const base = await findFreeBase(bind);
    const hint =
      base === undefined
        ? 'stop what holds it'
        : `move all ports by adding --port-base ${base} (npm start -- --port-base ${base})`;
    throw new OptionError(`port ${ports[name]} (${name}) is taken; ${hint}`);
  }
}

function printTable(cloud: RunningCloud, state: StateDir, options: CloudOptions, seconds: string): void {
  const { urls } = cloud;
  const rows: [string, string][] = [
    ['identity', `${urls.identity}/v3`],
    ['compute', `${urls.compute}/v2.1`],
    ['placement', urls.placement],
    ['image', urls.image],
    ['network', urls.network],
    ...(cloud.adminUrl ? [['admin', cloud.adminUrl] as [string, string]] : []),
    ['hosts', `${options.hosts} simulated`],
    ['state', state.path],
    ['log', state.file('logs', 'fractus.log')],
  ];
  for (const [name, value] of rows) console.log(`  ${name.padEnd(10)} ${value}`);
  console.log(`\n  user admin in project admin; passwords are in ${state.file('clouds.yaml')}. Paste:\n`);
  console.log(`export OS_CLIENT_CONFIG_FILE=${state.file('clouds.yaml')} OS_CLOUD=fractus\n`);
  console.log(`Fractus is ready (${seconds} s; process ${process.pid}). Ctrl-C stops it.`);
}

async function main(): Promise<void> {
  const began = performance.now();
  const options = parseOptions(process.argv.slice(2));
  if (!options) return;
  const state = StateDir.open(options.stateDir, options.reset);
  await checkPorts(options);
  const secrets = state.secrets();
  const cloud = await startCloud({
    file: (...parts) => state.file(...parts),
    secrets,
    env: process.env,
    bind: options.bind,
    ports: servedPorts(options.portBase),
    hosts: options.hosts,
    simProfile: options.simProfile as 'default' | 'instant' | 'slow',
    logLevel: options.logLevel,
    logFile: state.file('logs', 'fractus.log'),
    ...(options.adminPort === undefined ? {} : { adminPort: options.adminPort }),
  });
  writePrivate(state.file('clouds.yaml'), cloudsYaml(`${cloud.urls.identity}/v3`, secrets));
  writePrivate(state.file('pids.json'), `${JSON.stringify({ cloud: process.pid })}\n`);
  await hostsInService(cloud);
  printTable(cloud, state, options, ((performance.now() - began) / 1000).toFixed(1));
  stopOnSignals(cloud, state);
}

/** The word `ready` is not said before servers can be booted. */
async function hostsInService(cloud: RunningCloud): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const waiting = (await cloud.ready()).filter((c) => !c.ok);
    if (waiting.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const waiting = (await cloud.ready()).filter((c) => !c.ok);
  if (waiting.length)
    throw new Error(
      `not ready after 30 s: ${waiting.map((c) => `${c.part} (${c.why ?? 'no reason given'})`).join(', ')}`,
    );
}

function stopOnSignals(cloud: RunningCloud, state: StateDir): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    console.log('\nStopping: finishing what is under way …');
    const impatient = setTimeout(
      () => fail('not stopped after 30 s; ending anyway, the next start takes up what is unfinished'),
      30_000,
    );
    cloud
      .close()
      .then(() => {
        clearTimeout(impatient);
        state.release();
        console.log('Stopped.');
        process.exit(0);
      })
      .catch((e: unknown) => fail(`could not stop cleanly: ${(e as Error).message}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

// a terminal that was closed, or a pipe that nobody reads any more, must not keep the cloud from stopping in good order
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

main().catch((e: unknown) => {
  if (e instanceof OptionError) fail(e.message);
  if (isFractusError(e)) fail(e.message);
  // the system said no (disk full, no right to it, a folder in the way): its sentence names the file
  if ((e as NodeJS.ErrnoException).syscall !== undefined) fail((e as Error).message);
  fail(`${(e as Error).stack ?? String(e)}`);
});
