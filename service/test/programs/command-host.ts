// Runs the operator's command again and again in one process: most of what a command costs is its start. Each time it is
// the program itself, with its own arguments, settings, output and exit code.
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { programFor } from '@kelpie/dev/built-programs.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { CommandOutcome, CommandRequest } from '../harness/command.ts';

const program = pathToFileURL(path.resolve(projectFolder, programFor('service/src/app/cli.ts')));
const endsWithinMs = 5_000;
const failures = ['uncaughtException', 'unhandledRejection'];
let runs = 0;

/** What would keep a process of its own from ending. */
function listOpen(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|Timeout|FSReqPromise)/.test(name));
}

/** A command that leaves a connection or a timer behind would never end. */
async function untilAllIsClosed(): Promise<void> {
  const giveUpAt = performance.now() + endsWithinMs;
  while (listOpen().length > 0) {
    if (performance.now() > giveUpAt) throw new Error(`the command does not end: ${listOpen().join(', ')}`);
    await wait(1);
  }
}

function useSettings(env: CommandRequest['env']): void {
  for (const name of Object.keys(process.env).filter((known) => known.startsWith('KELPIE_'))) delete process.env[name];
  Object.assign(process.env, env);
}

function keepIn(...places: string[][]) {
  return (chunk: string | Uint8Array): boolean => {
    for (const place of places) place.push(chunk.toString());
    return true;
  };
}

/** Keeps what is written, in place of writing it. */
function capture(): { output: string[]; printed: string[] } {
  const captured = { output: Array.of<string>(), printed: Array.of<string>() };
  process.stdout.write = keepIn(captured.output, captured.printed);
  process.stderr.write = keepIn(captured.output);
  return captured;
}

/** Typed anew: the compiler knows no other than what was just assigned. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

async function run({ args, env }: CommandRequest): Promise<CommandOutcome> {
  useSettings(env);
  process.argv.splice(2, process.argv.length, ...args);
  process.exitCode = undefined;
  const { output, printed } = capture();
  runs += 1;
  program.search = `?run=${runs}`;
  await import(program.href);
  for (const event of failures) process.removeAllListeners(event);
  await untilAllIsClosed();
  return { code: exitCode(), output: output.join('').trimEnd(), printed: printed.join('').trimEnd() };
}

process.on('message', (request: CommandRequest) => {
  void run(request).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => process.send?.({ code: null, output: String(error), printed: '' } satisfies CommandOutcome),
  );
});
process.once('disconnect', () => process.exit());
