// Entry point of `kelpie-admin`, the operators' command.
import { CommanderError } from 'commander';
import { createLogger } from '../platform/logging.ts';
import { explainFailure } from './commands/failure.ts';
import { createProgram } from './commands/program.ts';
import { printFailure } from './commands/printing.ts';

const json = process.argv.includes('--json');

function fail(error: unknown): void {
  const { code, message, exitCode, isFault } = explainFailure(error);
  if (isFault) createLogger('cli', 'fatal', process.stderr).fatal({ error }, 'process.failed');
  // Commander has already printed its own errors, except with --json.
  const isPrinted = error instanceof CommanderError && (!json || exitCode === 0);
  if (!isPrinted) printFailure({ json }, { code, message });
  process.exitCode = exitCode;
}

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => {
    fail(error);
    process.exit();
  });

try {
  await createProgram({ json }).parseAsync();
} catch (error) {
  fail(error);
}
