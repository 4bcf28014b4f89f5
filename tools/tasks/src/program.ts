/** The command line: what can be asked, in which words. Exit codes: 0, 1 nothing found or not done, 2 usage. */
import { userInfo } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { TASK_FILTERS } from '@fractus/compute-db';
import { action, type ExitCode, findCloud, type Output, type PlaceOptions, runProgram } from '@fractus/operator';
import { TASK_TYPES } from '@fractus/server-lifecycle';
import { dropLetters, listLetters, retryLetters, showLetter } from './dead-letters';
import { abandonTask, type ListOptions, listTasks, retryTask, type Session, showTask } from './tasks';

const HELP = `
Which cloud: --state-dir; or --database and --rpc; or the variables that the processes have (FRACTUS_DATABASE_URL,
FRACTUS_RPC_URLS and its further options, each also as …_FILE, and with FRACTUS_OPERATOR_ in place of FRACTUS_ where the
tools are to use others); or .fractus-cluster or .fractus in the present folder.
Exit code: 0; 1 nothing found, or not done; 2 wrong usage.`;

/** Runs the command; resolves to its exit code and never rejects. */
export function tasks(args: string[], env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const program = new Command('tasks')
    .description('look at the long operations of a cloud, and help those that are stuck')
    .option('--state-dir <folder>', 'of npm run cluster or npm start')
    .option('--database <url>', "compute's database: mysql://… or sqlite:…")
    .option('--rpc <urls>', 'the broker, for dead letters: amqp://… or amqps://…')
    .option('--json', 'for programs')
    .addHelpText('after', HELP);
  const session = (): Session => {
    const { json = false, ...where } = program.opts<PlaceOptions & { json?: boolean }>();
    return { places: findCloud(where, env), json, output, now: Date.now() };
  };
  addTasks(program, session, env);
  addLetters(program, session);
  return runProgram(program, args, output);
}

function addTasks(program: Command, session: () => Session, env: NodeJS.ProcessEnv): void {
  program
    .command('list')
    .description('tasks, newest first')
    .addOption(
      new Option('--state <state>', 'stuck: due and taken up by nobody, or at one attempt of one step for long')
        .choices([...TASK_FILTERS, 'all'])
        .default('open'),
    )
    .addOption(new Option('--type <type>', 'as build-server').choices(TASK_TYPES))
    .option('--server <id>', 'of one server')
    .option('--project <id>', 'of one project')
    .option('--host <name>', 'whose answer is awaited, or on which the server is')
    .option('--limit <n>', 'at most so many', whole(1, 100_000), 50)
    .action(action(program, (options: ListOptions) => listTasks(session(), options)));
  program
    .command('show <id>')
    .description('one task: what it waits for, what it has done, what happens next')
    .action(action(program, (id: string) => showTask(session(), id)));
  program
    .command('retry <id>')
    .description('have its step run again now')
    .action(action(program, (id: string) => retryTask(session(), id)));
  program
    .command('abandon <id>')
    .description('have it ended as if its step had failed; what it did is undone')
    .option('--yes', 'really')
    .option('--reason <text>', 'for the server’s fault and for other operators')
    .option('--by <name>', 'who asks', env['SUDO_USER'] || userInfo().username)
    .action(
      action(program, (id: string, options: { yes?: boolean; reason?: string; by: string }) =>
        abandonTask(session(), id, options),
      ),
    );
}

function addLetters(program: Command, session: () => Session): void {
  const letters = program.command('dead-letters').description('messages that nobody could handle');
  letters
    .command('list', { isDefault: true })
    .description('oldest first')
    .option('--topic <name>', 'conductor, placement, scheduler, compute')
    .action(action(program, ({ topic }: { topic?: string }) => listLetters(session(), topic)));
  letters
    .command('show <id>')
    .description('one, with what it says; secrets are left out')
    .action(action(program, (id: string) => showLetter(session(), id)));
  letters
    .command('retry [id]')
    .description('send it again, as from who sent it first')
    .option('--all', 'every one')
    .option('--topic <name>', 'with --all: those of one topic')
    .action(
      action(program, (id: string | undefined, options: { all?: boolean; topic?: string }) =>
        retryLetters(session(), id, options),
      ),
    );
  letters
    .command('drop [id]')
    .description('forget it')
    .option('--all', 'every one')
    .option('--topic <name>', 'with --all: those of one topic')
    .option('--yes', 'really')
    .action(
      action(program, (id: string | undefined, options: { all?: boolean; topic?: string; yes?: boolean }) =>
        dropLetters(session(), id, options),
      ),
    );
}

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const n = Number(text);
    if (!Number.isInteger(n) || n < least || n > most)
      throw new InvalidArgumentError(`a whole number from ${least} to ${most}`);
    return n;
  };
