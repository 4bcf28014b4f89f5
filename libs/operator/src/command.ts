/** What every operators' command does with its words, its answer and its end. */
import { type Command, CommanderError } from 'commander';
import { isFractusError } from '@fractus/objects';

/** Exit codes, the same for all tools; `doctor` and the upgrade checks say what `none` and `usage` mean for them. */
export const EXIT = { done: 0, none: 1, usage: 2, unexpected: 255 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where a command writes. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

export const CONSOLE: Output = { out: (line) => console.log(line), err: (line) => console.error(line) };

/**
 * Runs a program of commander whose actions resolve to an exit code. Wrong words, and what a FractusError calls
 * `invalid`, are usage; what is not there or must not be done is `none`, every other failure `failed`; each is one line.
 */
export async function runProgram(
  program: Command,
  args: readonly string[],
  output: Output,
  failed: ExitCode = EXIT.none,
): Promise<ExitCode> {
  const write = (to: (line: string) => void) => (text: string) => to(text.replace(/\n$/, ''));
  forAll(program, (command) =>
    command.exitOverride().configureOutput({ writeOut: write(output.out), writeErr: write(output.err) }),
  );
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodeOf(program);
  } catch (e) {
    if (e instanceof CommanderError) return e.exitCode === 0 ? EXIT.done : EXIT.usage;
    output.err(`${program.name()}: ${sentenceOf(e)}`);
    if (isFractusError(e, 'invalid')) return EXIT.usage;
    return isFractusError(e, 'conflict', 'not_found') ? EXIT.none : failed;
  }
}

const CODES = new WeakMap<Command, ExitCode>();

/** Makes an action of `work`, whose result is the exit code. */
export function action<A extends unknown[]>(
  program: Command,
  work: (...args: A) => Promise<ExitCode>,
): (...args: A) => Promise<void> {
  return async (...args) => void CODES.set(program, await work(...args));
}

const exitCodeOf = (program: Command): ExitCode => CODES.get(program) ?? EXIT.done;

function forAll(command: Command, work: (command: Command) => void): void {
  work(command);
  for (const child of command.commands) forAll(child, work);
}

/** One line, with the system's word where a library says nothing. */
export function sentenceOf(e: unknown): string {
  const { message, code, errors } = e as { message?: string; code?: string; errors?: unknown[] };
  if (message) return message;
  if (Array.isArray(errors) && errors.length > 0) return sentenceOf(errors[0]);
  return code ?? String(e);
}
