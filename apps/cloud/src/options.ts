import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { resolve } from 'node:path';
import { DEFAULT_PORT_BASE, MAX_PORT_BASE, MIN_PORT_BASE } from './ports';

/** What `npm start -- …` takes. */
export interface CloudOptions {
  stateDir: string;
  hosts: number;
  portBase: number;
  bind: string;
  reset: boolean;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  simProfile: string;
  adminPort?: number;
}

/** A wrong option; `message` is one line for the terminal. */
export class OptionError extends Error {}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^\d+$/.test(text) || n < min || n > max)
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}`);
    return n;
  };
}
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

function command(): Command {
  return new Command('npm start --')
    .description(
      'Starts the whole cloud in one process: identity, image, network, placement, compute and simulated hosts.',
    )
    .option('--state-dir <folder>', 'where the cloud keeps its state', named, '.fractus')
    .option('--hosts <n>', 'simulated hosts', integer(1, 10_000), 4)
    .option(
      '--port-base <n>',
      'port of identity; all other ports move along',
      integer(MIN_PORT_BASE, MAX_PORT_BASE),
      DEFAULT_PORT_BASE,
    )
    .option('--bind <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--admin-port <n>',
      'port of the admin listener, on loopback: health, metrics, log level; 0 takes a free one (default: none)',
      integer(0, 65_535),
    )
    .option('--reset', 'forget all state first', false)
    .option('--log-level <level>', `what goes to the log file: ${LEVELS.join(', ')}`, oneOf(LEVELS), 'info')
    .option(
      '--sim-profile <name>',
      'latency of the simulated hypervisor: default, instant, slow',
      oneOf(['default', 'instant', 'slow'] as const),
      'default',
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
}

/** An empty name would be the folder that the command happens to run in. */
function named(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give a folder');
  return text;
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const found = values.find((v) => v === text);
    if (!found) throw new InvalidArgumentError(`Give one of ${values.join(', ')}`);
    return found;
  };
}

/** Parses the arguments; null when `--help` was asked for (and printed). Throws OptionError on a bad option. */
export function parseOptions(args: readonly string[]): CloudOptions | null {
  const cmd = command();
  try {
    cmd.parse([...args], { from: 'user' });
  } catch (e) {
    if (!(e instanceof CommanderError)) throw e;
    if (e.exitCode === 0) return null;
    throw new OptionError(`${e.message.replace(/^error: /, '')} (npm start -- --help lists the options)`);
  }
  const options = cmd.opts<CloudOptions>();
  return { ...options, stateDir: resolve(options.stateDir) };
}
