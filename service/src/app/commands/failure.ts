// The message and exit code of a command that failed. docs/ lists the same codes.
import { CommanderError } from 'commander';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { CommitUncertain } from '../../platform/database/transaction.ts';
import { describeError } from '../../platform/logging.ts';
import { OperatorError, refusedExitCode } from '../../platform/operator-error.ts';
import { ApiError } from '../../platform/api-error.ts';
import { hints } from '../wiring/last-error.ts';

export const exitCodes = {
  done: 0,
  /** A check found a difference, or part of the work failed. */
  found: 1,
  /** Nothing was changed. */
  refused: refusedExitCode,
  /** The command line is wrong. */
  usage: 64,
  /** The database or the bank is unavailable. */
  unavailable: 69,
  /** A bug in Kelpie. */
  fault: 70,
} as const;

export interface Failure {
  /** For programs. */
  code: string;
  message: string;
  exitCode: number;
  /** Also logged, with the place in the code. */
  isFault?: true;
}

const { refused, unavailable, fault, usage } = exitCodes;

const older = 'The database schema is older than this command. Run `kelpie-admin migrate` first.';
const busy = 'Locked by another operation. Nothing changed; retry.';

/** Messages for SQLSTATEs. */
const sentences = new Map<string, Failure>([
  [
    sqlStates.booksClosed,
    {
      code: 'books_closed',
      message:
        'Nothing was charged: the month was invoiced and closed while the command ran. Run it again to charge the open month.',
      exitCode: refused,
    },
  ],
  ['55P03', { code: 'busy', message: busy, exitCode: unavailable }],
  ['40P01', { code: 'busy', message: busy, exitCode: unavailable }],
  ['40001', { code: 'busy', message: busy, exitCode: unavailable }],
  ['42P01', { code: 'database_old', message: older, exitCode: unavailable }],
  ['42703', { code: 'database_old', message: older, exitCode: unavailable }],
  ['42883', { code: 'database_old', message: older, exitCode: unavailable }],
  ['3F000', { code: 'database_old', message: older, exitCode: unavailable }],
  [
    '42501',
    {
      code: 'role_wrong',
      message:
        'The database role is not allowed to do this. Check that each KELPIE_…DATABASE_URL uses the role that docs/configuration.md names.',
      exitCode: unavailable,
    },
  ],
]);

function ofCommandLine({ code, message, exitCode }: CommanderError): Failure {
  // Commander throws after it has printed help, with exit code 0.
  if (exitCode === 0) return { code, message, exitCode };
  const text = message.replace(/^error: /, '');
  return { code: 'usage', message: text === '(outputHelp)' ? 'A command is required.' : text, exitCode: usage };
}

function unreachable(code: string | undefined): Failure | undefined {
  const message = hints.get(code ?? '');
  return message === undefined ? undefined : { code: 'unreachable', message, exitCode: unavailable };
}

/** An operator also sees the cause, which the API keeps to itself. */
function ofApiError({ code, message, cause }: ApiError): Failure {
  const failure = { code, message, exitCode: unavailable };
  return cause === undefined ? failure : (unreachable(describeError(cause).code) ?? failure);
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof CommanderError) return ofCommandLine(error);
  if (error instanceof OperatorError) return error;
  if (error instanceof CommitUncertain) {
    const message =
      'The outcome is unknown: the connection broke during the commit. `kelpie-admin audit list` shows whether it took effect.';
    return { code: 'uncertain', message, exitCode: fault };
  }
  if (error instanceof ApiError) return ofApiError(error);
  const { name, code = '' } = describeError(error);
  const sentence = sentences.get(code) ?? unreachable(code);
  if (sentence !== undefined) return sentence;
  const what = [name, code].filter((part) => part !== '').join(' ');
  const message = `Kelpie stopped: ${what}. The log has the stack trace.`;
  return { code: 'fault', message, exitCode: fault, isFault: true };
}
