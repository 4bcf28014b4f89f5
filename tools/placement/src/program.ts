/** The command line: what can be asked, in which words, and what the exit codes mean. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import {
  type AccessOptions,
  action,
  computeApi,
  databaseUrl,
  EXIT,
  type ExitCode,
  findCloud,
  type Output,
  placementApi,
  runProgram,
  sentenceOf,
  upgradeCheck,
} from '@fractus/operator';
import { audit } from './audit/run';
import { migrate, type MigrateOptions } from './migrate/run';
import { keepPool, type PoolOptions } from './pool/run';
import { STATUS_CHECKS } from './status/checks';

const HELP = `
Databases: mysql://user:password@host:port/name or sqlite:/path/file.db. APIs: OS_AUTH_URL, OS_USERNAME, OS_PASSWORD,
OS_PROJECT_NAME (and OS_*_DOMAIN_ID, OS_REGION_NAME, OS_INTERFACE, OS_APPLICATION_CREDENTIAL_ID and …_SECRET), or the
clouds.yaml of --state-dir, or, for a Placement without identity, --endpoint and --token.
Exit code of status upgrade check: 0 success, 1 warning, 2 failure, 255 unexpected.
Of the others: 0 done, or nothing to do; 1 findings, or not done; 2 wrong usage, or it cannot be told.`;

/** What a test has in other ways. */
export interface Surroundings {
  /** Ends what runs forever. */
  readonly signal?: AbortSignal;
  readonly wait?: (ms: number) => Promise<unknown>;
}

type Env = NodeJS.ProcessEnv;

/** Runs the command; resolves to its exit code and never rejects. */
export function placement(args: string[], env: Env, output: Output, around: Surroundings = {}): Promise<ExitCode> {
  const program = new Command('placement')
    .description("operators' tools for Placement")
    .option('--state-dir <folder>', 'of npm run cluster or npm start')
    .option('--endpoint <url>', "Placement's, where it is not the catalog's")
    .option('--token <token>', 'sent as it is, for a Placement in noauth2 mode; needs --endpoint')
    .option('--json', 'for programs')
    .addHelpText('after', HELP);
  addStatus(program, env, output);
  addMigrate(program, env, output);
  addInventory(program, env, output, around.signal ?? new AbortController().signal);
  addAudit(program, env, output, around.wait ?? ((ms) => pause(ms)));
  return runProgram(program, args, output, EXIT.usage);
}

interface Common extends AccessOptions {
  readonly json?: boolean;
}

function addStatus(program: Command, env: Env, output: Output): void {
  interface StatusOptions {
    readonly database?: string;
    readonly policyFile?: string;
    readonly changeLogKeep: number;
  }
  program
    .command('status')
    .description('verdicts before an upgrade')
    .command('upgrade')
    .command('check')
    .description('is the database, and the policy file, fit for this release')
    .option('--database <url>', "Placement's")
    .option('--policy-file <path>', "the operator's policy.yaml")
    .option('--change-log-keep <rows>', "Placement's option changeLogKeep", whole, 100_000)
    .action(
      action(program, async ({ database, policyFile, changeLogKeep }: StatusOptions) => {
        const { stateDir, json = false } = program.opts<Common>();
        try {
          const url = database ?? databaseUrl(findCloud(stateDir === undefined ? {} : { stateDir }, env), 'placement');
          const file = policyFile ?? env['FRACTUS_PLACEMENT_POLICY_FILE'];
          const subject = { url, changeLogKeep, ...(file === undefined ? {} : { policyFile: file }) };
          return await upgradeCheck(STATUS_CHECKS, subject, output, { json });
        } catch (e) {
          output.err(`placement: ${sentenceOf(e)}`);
          return EXIT.unexpected;
        }
      }),
    );
}

function addMigrate(program: Command, env: Env, output: Output): void {
  const secret = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    return env[name] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  };
  program
    .command('migrate')
    .description("copy an upstream Placement database (or Nova's nova_api) into ours")
    .option('--from <url>', 'the source; also FRACTUS_MIGRATE_FROM, or FRACTUS_MIGRATE_FROM_FILE')
    .option('--to <url>', 'the target; also FRACTUS_MIGRATE_TO, or FRACTUS_MIGRATE_TO_FILE')
    .option('--dry-run', 'tell what would be copied, and write nothing', false)
    .option('--leave-out', 'copy the rest where some rows cannot be copied', false)
    .option('--batch <n>', 'providers, or consumers, in one transaction, 5000 at most', batchSize, 500)
    .action(
      action(program, ({ from, to, ...rest }: MigrateOptions) => {
        const source = from ?? secret('FRACTUS_MIGRATE_FROM');
        const target = to ?? secret('FRACTUS_MIGRATE_TO');
        return migrate(
          {
            ...rest,
            ...(source === undefined ? {} : { from: source }),
            ...(target === undefined ? {} : { to: target }),
          },
          output,
        );
      }),
    );
}

function addInventory(program: Command, env: Env, output: Output, stop: AbortSignal): void {
  type Given = Omit<PoolOptions, 'name' | 'aggregates' | 'reservedGb' | 'intervalSeconds'> & {
    readonly providerName: string;
    readonly aggregate: string[];
    readonly reservedGb: number;
    readonly interval: number;
  };
  program
    .command('inventory')
    .description('inventories that are kept true by a script')
    .command('demo')
    .description('a pool of disk that many hosts share')
    .requiredOption('--provider-name <name>', 'of the pool')
    .requiredOption('--aggregate <uuid>', 'of those that share it; may be repeated', several)
    .option('--path <folder>', 'on the pool: its size is asked for')
    .option('--total-gb <n>', 'its size in GiB, where no folder tells it', whole)
    .option('--reserved-gb <n>', 'GiB that servers do not get', wholeOrNone, 0)
    .option('--with-hosts', 'put all compute nodes into the first aggregate', false)
    .option('--interval <seconds>', 'between two passes', whole, 60)
    .option('--once', 'one pass', false)
    .option('--dry-run', 'tell what one pass would write', false)
    .option('--remove', 'take everything back', false)
    .action(
      action(program, ({ providerName, aggregate, interval, ...rest }: Given) => {
        const options = { ...rest, name: providerName, aggregates: aggregate, intervalSeconds: interval };
        return keepPool(placementApi(env, program.opts<Common>()), options, output, stop);
      }),
    );
}

function addAudit(program: Command, env: Env, output: Output, wait: (ms: number) => Promise<unknown>): void {
  program
    .command('audit')
    .description('allocations against servers, migrations and hosts')
    .option('--fix', 'remove what is proven orphan', false)
    .option(
      '--untyped',
      'with --fix: also consumers that tell no kind; only where nobody else uses this Placement',
      false,
    )
    .option('--pause <seconds>', "between two looks at an orphan: longer than a task's lease", wholeOrNone, 35)
    .action(
      action(program, ({ fix, untyped, pause: seconds }: { fix: boolean; untyped: boolean; pause: number }) => {
        const options = program.opts<Common>();
        const apis = { placement: placementApi(env, options), compute: computeApi(env, options) };
        const waitOnce = async (): Promise<void> => void (await wait(seconds * 1000));
        return audit(apis, { fix, untyped, json: options.json ?? false, wait: waitOnce }, output);
      }),
    );
}

const whole = (text: string): number => atLeast(1, text);
const wholeOrNone = (text: string): number => atLeast(0, text);

function batchSize(text: string): number {
  const n = atLeast(1, text);
  if (n > 5000) throw new InvalidArgumentError('5000 at most: a statement takes no more');
  return n;
}

function atLeast(least: number, text: string): number {
  const n = Number(text);
  if (text.trim() === '' || !Number.isInteger(n) || n < least)
    throw new InvalidArgumentError(`a whole number from ${least}`);
  return n;
}

function several(text: string, before: readonly string[] = []): string[] {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError('a uuid');
  return [...before, text];
}
