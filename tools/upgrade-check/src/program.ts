/** The command line. Exit codes as `nova-status upgrade check`: 0 success, 1 warning, 2 failure, 255 unexpected. */
import { Command } from 'commander';
import {
  action,
  EXIT,
  type ExitCode,
  findCloud,
  type Output,
  type PlaceOptions,
  runProgram,
  sentenceOf,
  upgradeCheck,
} from '@fractus/operator';
import { CHECKS } from './checks';
import type { Cloud } from './cloud';

const HELP = `
Which cloud: as for npm run doctor (--state-dir, or --database and --rpc, or the processes' own variables). The APIs are
asked as OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME say, or by the folder's clouds.yaml, or as the service
user (FRACTUS_AUTH_URL, FRACTUS_USERNAME, FRACTUS_PASSWORD).
Exit code: 0 success; 1 warning; 2 failure (or wrong usage); 255 unexpected.`;

interface Options extends PlaceOptions {
  readonly json?: boolean;
  readonly placementEndpoint?: string;
  readonly computePolicyFile?: string;
  readonly placementPolicyFile?: string;
}

/** Runs the command; resolves to its exit code and never rejects. */
export function upgradeCheckOfCloud(args: string[], env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const program = new Command('upgrade-check')
    .description('is a cloud fit for this release: run it before an upgrade, with the code that is to run')
    .option('--state-dir <folder>', 'of npm run cluster or npm start')
    .option('--database <url>', "compute's database: mysql://… or sqlite:…")
    .option('--rpc <urls>', 'the broker: amqp://… or amqps://…')
    .option('--placement-endpoint <url>', "where it is not the catalog's")
    .option('--compute-policy-file <path>', "compute's policy.yaml (FRACTUS_COMPUTE_API_POLICY_FILE)")
    .option('--placement-policy-file <path>', "placement's policy.yaml (FRACTUS_PLACEMENT_POLICY_FILE)")
    .option('--json', 'for programs')
    .addHelpText('after', HELP);
  program.action(
    action(program, async () => {
      const { json = false, ...options } = program.opts<Options>();
      try {
        return await upgradeCheck(CHECKS, cloudOf(options, env), output, { json });
      } catch (e) {
        output.err(`upgrade-check: ${sentenceOf(e)}`);
        return EXIT.unexpected;
      }
    }),
  );
  return runProgram(program, args, output, EXIT.unexpected);
}

function cloudOf(options: Omit<Options, 'json'>, env: NodeJS.ProcessEnv): Cloud {
  const given = (option: string | undefined, ...names: string[]): string | undefined =>
    option ?? names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  const endpoint = given(options.placementEndpoint, 'OS_PLACEMENT_ENDPOINT_OVERRIDE', 'FRACTUS_PLACEMENT_ENDPOINT');
  const compute = given(options.computePolicyFile, 'FRACTUS_COMPUTE_API_POLICY_FILE', 'FRACTUS_POLICY_FILE');
  const placement = given(options.placementPolicyFile, 'FRACTUS_PLACEMENT_POLICY_FILE', 'FRACTUS_POLICY_FILE');
  return {
    ...{ places: findCloud(options, env), env },
    ...(endpoint === undefined || endpoint === 'catalog' ? {} : { placementEndpoint: endpoint }),
    ...(compute === undefined ? {} : { computePolicyFile: compute }),
    ...(placement === undefined ? {} : { placementPolicyFile: placement }),
  };
}
