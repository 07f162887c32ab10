// The message and exit code of a command that failed.
import { CommanderError } from 'commander';
import { KelpieError, KelpieUnreachable, KelpieWaitTimeout } from '../index.ts';
import { listOf } from '../json.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { visible } from './printing.ts';

interface Failure {
  /** For programs. */
  code: string;
  message: string;
  exitCode: number;
  /** More lines for people. */
  lines?: readonly string[];
  /** More for programs. */
  more?: object;
}

const { refused, unavailable, usage, fault, again, settings } = exitCodes;

function ofCommandLine({ code, message, exitCode }: CommanderError): Failure {
  // Commander throws after it has printed help, with exit code 0.
  if (exitCode === 0) return { code, message, exitCode };
  const text = message.replace(/^error: /, '');
  return { code: 'usage', message: text === '(outputHelp)' ? 'A command is required.' : text, exitCode: usage };
}

function exitOf({ status, isOutcomeUnknown }: KelpieError): number {
  if (status === 401) return settings;
  if (isOutcomeUnknown) return again;
  return status === 408 || status === 429 || status >= 500 ? unavailable : refused;
}

function linesOf(error: KelpieError): string[] {
  const mismatched = listOf(error.details, 'mismatched').map(String);
  return [
    ...error.fields.map(({ path, rule }) => `  ${path} ${rule}`),
    ...(mismatched.length === 0 ? [] : [`  These differ from the first request: ${mismatched.join(', ')}`]),
    ...(error.requestId === undefined ? [] : [`Request-Id: ${error.requestId}`]),
  ];
}

function ofAnswer(error: KelpieError): Failure {
  const { code, message, status, details, requestId } = error;
  const more = {
    status,
    ...(details === undefined ? {} : { details }),
    request_id: requestId ?? null,
    ...(error.isOutcomeUnknown ? { is_outcome_unknown: true } : {}),
  };
  const hint = status === 401 ? ' Run `kelpie configure` to store another key.' : '';
  return { code, message: `${message}${hint}`, exitCode: exitOf(error), lines: linesOf(error), more };
}

/** A read can be repeated at once; what may have changed something is unknown. */
function ofSilence({ message, reason, idempotencyKey, isSafeToRepeat }: KelpieUnreachable): Failure {
  const lines = reason === 'network' || reason === 'unreadable' ? ['Check that KELPIE_BASE_URL is right.'] : [];
  if (idempotencyKey === undefined)
    return isSafeToRepeat
      ? { code: 'unreachable', message, exitCode: unavailable, lines }
      : { code: 'unknown_outcome', message, exitCode: again, lines };
  const more = { idempotency_key: idempotencyKey };
  return {
    code: 'unknown_outcome',
    message,
    exitCode: again,
    lines: [...lines, `Idempotency-Key: ${idempotencyKey}`],
    more,
  };
}

function ofWait({ payout }: KelpieWaitTimeout): Failure {
  const message = `The payout ${payout.id} is still ${payout.status}. It goes on. Continue with \`kelpie payouts get ${payout.id} --wait\`.`;
  return { code: 'not_final', message, exitCode: again, more: { payout } };
}

/** Only where it happened: the message of an unforeseen error could repeat a bank detail. */
function ofBug(error: unknown): Failure {
  const name = error instanceof Error ? error.name : 'an unknown error';
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const lines = stack.split('\n').filter((line) => line.startsWith('    at '));
  return {
    code: 'fault',
    message: `kelpie stopped because of a bug: ${name}. Contact support.`,
    exitCode: fault,
    lines,
  };
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof CommanderError) return ofCommandLine(error);
  if (error instanceof CommandError) {
    const { code, message, exitCode, details } = error;
    return { code, message, exitCode, ...(details === undefined ? {} : { more: details }) };
  }
  if (error instanceof KelpieError) return ofAnswer(error);
  if (error instanceof KelpieWaitTimeout) return ofWait(error);
  return error instanceof KelpieUnreachable ? ofSilence(error) : ofBug(error);
}

/** With --json, on standard output, so that a program reads one document whatever happened; otherwise on standard error. */
export function printFailure(json: boolean, { code, message, lines = [], more = {} }: Failure): void {
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, ...more } })}\n`);
  else process.stderr.write(`${[message, ...lines].map((line) => visible(line, '\n')).join('\n')}\n`);
}
