import { Command, InvalidArgumentError, Option } from 'commander';
import { auth } from '../commands/identity.mjs';
import { claims, providers, providersClear } from '../commands/placement.mjs';
import { candidates, detail, hypervisors, list, show } from '../commands/reads.mjs';
import { boot, deleteAll, fill, latency } from '../commands/servers.mjs';

/** The commands as data: what each is called with, and what it runs. `null`: the argument is required. */
export const COMMANDS = [
  { name: 'auth', what: 'log in N times', args: { count: 50, concurrency: 1 }, run: auth },
  {
    name: 'boot',
    what: 'boot N servers, C requests at a time, until all are ACTIVE',
    args: { count: null, concurrency: 10 },
    run: boot,
  },
  { name: 'latency', what: 'boot N servers one after the other', args: { count: 20 }, run: latency },
  { name: 'fill', what: 'bring the number of servers to N by multi-create', args: { count: null }, run: fill },
  {
    name: 'delete-all',
    what: "delete every server of the project and wait till they're gone",
    args: { concurrency: 10 },
    run: deleteAll,
  },
  { name: 'list', what: 'GET /servers, N times', args: { count: 50, concurrency: 1 }, run: list },
  { name: 'detail', what: 'GET /servers/detail, N times', args: { count: 20, concurrency: 1 }, run: detail },
  { name: 'show', what: 'GET /servers/{id}, N times', args: { count: 500, concurrency: 16 }, run: show },
  {
    name: 'hypervisors',
    what: 'GET /os-hypervisors/detail, N times',
    args: { count: 20, concurrency: 1 },
    run: hypervisors,
  },
  {
    name: 'providers',
    what: "bring the number of the bench's own resource providers to N",
    args: { count: null, concurrency: 4 },
    run: providers,
  },
  {
    name: 'providers-clear',
    what: "remove the bench's own providers (before a boot)",
    args: { concurrency: 4 },
    run: providersClear,
  },
  {
    name: 'candidates',
    what: 'GET /allocation_candidates in several ways, N times each',
    args: { count: 20 },
    run: candidates,
  },
  {
    name: 'claims',
    what: "N consumers claim on the bench's providers, C at a time",
    args: { count: 200, concurrency: 8 },
    options: [['--on <providers>', 'claim on the first so many only, and look for over-commitment', natural]],
    run: claims,
  },
];

const ARGUMENTS = { count: 'how many', concurrency: 'how many at a time' };

export function natural(text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

function version(text) {
  if (!/^\d+\.\d+$/.test(text)) throw new InvalidArgumentError('It must look like 2.93.');
  return text;
}

const collect = (value, earlier = []) => [...earlier, value];

/** The command line; `execute(command, options)` does the work, so that a test can look at the options alone. */
export function createProgram(execute) {
  const program = new Command('bench')
    .description(
      'Measures a cloud over its public REST interfaces: rates, p50/p95, and CPU seconds per operation of its servers.',
    )
    .option('--json', 'print one JSON object on one line')
    .option('--os-cloud <name>', 'cloud in clouds.yaml (else OS_AUTH_URL … or OS_CLOUD)')
    .option('--flavor <name>', 'flavor to boot', 'm1.tiny')
    .option('--image <name>', 'image to boot (else the first active one)')
    .option('--network <id>', 'none, auto, or the id of a network', 'none')
    .option('--prefix <text>', 'how the names of servers begin', 'bench')
    .option('--timeout <seconds>', 'how long to wait for servers', natural, 900)
    .addOption(new Option('--compute-version <version>', 'microversion').default('2.93').argParser(version))
    .addOption(new Option('--placement-version <version>', 'microversion').default('1.39').argParser(version))
    .option('--compute-url <url>', 'instead of the catalog’s (COMPUTE_URL)')
    .option('--placement-url <url>', 'instead of the catalog’s (PLACEMENT_URL)')
    .option('--image-url <url>', 'instead of the catalog’s (IMAGE_URL)')
    .option('--pids <list>', 'server processes, as name=id,name=id or id,id; descendants count too')
    .option(
      '--pid-file <file>',
      'file with a process id, or pids.json; may be repeated; default: pids.json beside clouds.yaml',
      collect,
    )
    .showHelpAfterError('(--help lists the commands)');
  for (const command of COMMANDS) addCommand(program, command, execute);
  return program;
}

function addCommand(program, { name, what, args, options = [], run }, execute) {
  const sub = program.command(name).description(what);
  for (const [arg, initial] of Object.entries(args)) {
    if (initial === null) sub.argument(`<${arg}>`, ARGUMENTS[arg], natural);
    else sub.argument(`[${arg}]`, ARGUMENTS[arg], natural, initial);
  }
  for (const option of options) sub.option(...option);
  sub.action((...given) => {
    const named = Object.fromEntries(Object.keys(args).map((arg, i) => [arg, given[i]]));
    const { timeout, ...all } = sub.optsWithGlobals();
    return execute({ name, run }, { ...all, ...named, timeoutMs: timeout * 1000 });
  });
}
