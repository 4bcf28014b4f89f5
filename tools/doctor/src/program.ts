/** The command line. Exit codes: 0 all well (or done), 1 findings (or not all done), 2 cannot tell, or wrong usage. */
import { openPlacementDatabase } from '@fractus/app-placement';
import { Command, InvalidArgumentError } from 'commander';
import {
  action,
  count,
  databaseUrl,
  EXIT,
  type ExitCode,
  findCloud,
  openAs,
  type Output,
  type PlaceOptions,
  runProgram,
  table,
} from '@fractus/operator';
import { afterRestoreOfCompute, afterRestoreOfPlacement } from './after-restore';
import { type Healed, heal, misplaced } from './allocations';
import { destroyGuest } from './guests';
import { examine, report, VERDICTS } from './examine';
import { Patient } from './patient';

const HELP = `
Which cloud: as for npm run tasks (--state-dir, or --database and --rpc, or the processes' own variables). Of an
environment, the databases are FRACTUS_DATABASE_URL (compute), FRACTUS_PLACEMENT_DATABASE_URL and so on, and admin
listeners FRACTUS_OPERATOR_ADMIN_URLS=conductor-1=http://host:port,…
Exit code: 0 all well; 1 findings; 2 cannot tell.`;

interface Options extends PlaceOptions {
  readonly json?: boolean;
  readonly serviceDown: number;
  readonly reconcile: boolean;
}

/** Runs the command; resolves to its exit code and never rejects. */
export function doctor(args: string[], env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const program = new Command('doctor')
    .description('one look at everything that can be wrong, and one pass of all reconcilers')
    .option('--state-dir <folder>', 'of npm run cluster or npm start')
    .option('--database <url>', "compute's database: mysql://… or sqlite:…")
    .option('--rpc <urls>', 'the broker: amqp://… or amqps://…')
    .option('--service-down <seconds>', 'silence after which a service counts as down', seconds, 60)
    .option('--no-reconcile', 'look only: run no reconcilers')
    .option('--json', 'for programs')
    .addHelpText('after', HELP);
  const withPatient = async (work: (patient: Patient, options: Options) => Promise<ExitCode>): Promise<ExitCode> => {
    const options = program.opts<Options>();
    const { serviceDown, reconcile } = options;
    const patient = new Patient(findCloud(options, env), { serviceDownMs: serviceDown * 1000, reconcile });
    try {
      return await work(patient, options);
    } finally {
      await patient.close();
    }
  };
  program
    .command('check', { isDefault: true })
    .description('look at everything (what npm run doctor does)')
    .action(action(program, () => withPatient((patient, options) => check(patient, options, output))));
  program
    .command('allocations')
    .description('servers that hold nothing on the host they live on')
    .option('--heal', 'claim what is missing')
    .action(
      action(program, ({ heal: healing = false }: { heal?: boolean }) =>
        withPatient((patient, options) => allocations(patient, { ...options, healing }, output)),
      ),
    );
  program
    .command('destroy-guest <server>')
    .description('a guest that no server explains')
    .requiredOption('--host <name>', 'where it is')
    .option('--yes', 'really')
    .action(
      action(program, (server: string, { host, yes = false }: { host: string; yes?: boolean }) =>
        withPatient((patient) => guest(patient, server, host, yes, output)),
      ),
    );
  program
    .command('after-restore <databases...>')
    .description('compute, placement: databases that were put back, before any process starts')
    .option('--force', 'although a service reported lately')
    .action(
      action(program, (names: string[], { force = false }: { force?: boolean }) =>
        withPatient((patient) => afterRestore(patient, names, force, output)),
      ),
    );
  return runProgram(program, args, output, EXIT.usage);
}

async function check(patient: Patient, { json }: Options, output: Output): Promise<ExitCode> {
  const examination = await examine(patient);
  for (const line of json ? [JSON.stringify(examination)] : report(examination)) output.out(line);
  return VERDICTS.indexOf(examination.verdict) as ExitCode;
}

async function allocations(
  patient: Patient,
  { json, healing }: Options & { healing: boolean },
  output: Output,
): Promise<ExitCode> {
  const placement = await patient.placement();
  const found = await misplaced(await patient.compute(), placement);
  const rows: { server: string; name: string; host: string | null; holds: string; result?: Healed }[] = [];
  for (const one of found) {
    const { id, name, host } = one.server;
    const result = healing ? await heal(one, placement) : undefined;
    rows.push({ server: id, name, host, holds: one.holds, ...(result ? { result } : {}) });
  }
  const left = rows.filter((r) => !r.result?.healed);
  if (json) output.out(JSON.stringify({ servers: rows }));
  else if (rows.length === 0) output.out('every server at rest holds resources on its host');
  else
    for (const line of table(
      ['SERVER', 'NAME', 'HOST', 'HOLDS', ''],
      rows.map((r) => [r.server, r.name, r.host ?? '', r.holds, wordOf(r.result)]),
    ))
      output.out(line);
  if (!json && healing) output.out(`${count(rows.length - left.length, 'server')} healed, ${left.length} not`);
  return left.length === 0 ? EXIT.done : EXIT.none;
}

const wordOf = (result: Healed | undefined): string =>
  result === undefined ? '' : result.healed ? 'healed' : `not healed: ${result.why}`;

async function guest(patient: Patient, server: string, host: string, yes: boolean, output: Output): Promise<ExitCode> {
  if (!yes) {
    output.err(`not done: say --yes to have the guest of ${server} on ${host} destroyed`);
    return EXIT.none;
  }
  await destroyGuest(patient, server, host);
  output.out(`host ${host} is asked to destroy the guest of ${server}; doctor counts its guests once it has`);
  return EXIT.done;
}

async function afterRestore(patient: Patient, names: string[], force: boolean, output: Output): Promise<ExitCode> {
  const unknown = names.find((name) => name !== 'compute' && name !== 'placement');
  if (unknown !== undefined) {
    output.err(`doctor: after-restore knows compute and placement, not ${unknown}; the others need nothing`);
    return EXIT.usage;
  }
  if (names.includes('compute')) {
    const servers = await afterRestoreOfCompute(await patient.compute(), { force, now: patient.clock() });
    output.out(
      `compute: the fences of ${count(servers, 'server')} are raised, leases of former conductors are dropped`,
    );
  }
  if (names.includes('placement')) {
    const database = await openAs(databaseUrl(patient.places, 'placement'), 'placement', (url) =>
      openPlacementDatabase({ url, migrate: false, poolSize: 1 }),
    );
    await afterRestoreOfPlacement(database).finally(() => database.close());
    output.out('placement: a new epoch is set, every process reads everything anew');
  }
  return EXIT.done;
}

function seconds(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('a whole number of seconds from 1');
  return n;
}
