#!/usr/bin/env node
// Entry point of `kelpie`, the partners' command.
import { CommanderError } from 'commander';
import { explainFailure, printFailure } from './failure.ts';
import { createProgram } from './program.ts';

const json = process.argv.includes('--json');

function fail(error: unknown): void {
  const failure = explainFailure(error);
  // Commander has already printed its own errors, except with --json.
  const isPrinted = error instanceof CommanderError && (!json || failure.exitCode === 0);
  if (!isPrinted) printFailure(json, failure);
  process.exitCode = failure.exitCode;
}

// A pipe that is closed early, as by `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 70));

try {
  await createProgram({ json }).parseAsync();
} catch (error) {
  fail(error);
}
