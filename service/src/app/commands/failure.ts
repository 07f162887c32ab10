// The message and exit code of a command that failed. docs/ lists the same codes.
import { CommanderError } from 'commander';
import type { DatabaseState } from '../../platform/database/database-state.ts';
import { commandSeconds } from '../../platform/database/pool.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { CommitUncertain } from '../../platform/database/unavailable.ts';
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
  /** Nobody knows yet whether it took effect. */
  uncertain: 75,
} as const;

export interface Failure {
  /** For programs. */
  code: string;
  message: string;
  exitCode: number;
  /** Also logged, with the place in the code. */
  isFault?: true;
}

const { refused, unavailable, fault, uncertain, usage } = exitCodes;

const older = 'The database schema is older than this command. Run `kelpie-admin migrate` first.';
const busy = 'Locked by another operation. Nothing changed; retry.';
const tooSlow = `The database did not finish within ${commandSeconds} s. Nothing changed; retry.`;

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
  ['57014', { code: 'busy', message: tooSlow, exitCode: unavailable }],
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

/** Why the database did not serve. Nothing was committed. */
const states = new Map<string, string>(
  Object.entries({
    database_read_only: 'The database takes no writes: it is a standby, or read-only. Nothing changed; retry.',
    database_shutting_down: 'The database is starting or stopping. Nothing changed; retry.',
    database_unreachable: 'The connection to the database broke. Nothing changed; retry.',
    database_timed_out: `The database did not answer within ${commandSeconds} s. Nothing changed; retry.`,
    database_connections_refused: 'The database has no free connection. Nothing changed; retry.',
    database_out_of_space: "The database's disk is full. Nothing changed.",
    database_out_of_memory: 'The database is out of memory. Nothing changed; retry.',
  } satisfies Partial<Record<DatabaseState, string>>),
);

const seeAudit = 'It may have taken effect: `kelpie-admin audit list` shows whether it did.';

function ofUncertain({ code }: CommitUncertain): Failure {
  const what =
    code === 'database_timed_out'
      ? `Not confirmed within ${commandSeconds} s.`
      : 'Not confirmed: the connection or the standby was lost during the commit.';
  return { code: 'uncertain', message: `${what} ${seeAudit}`, exitCode: uncertain };
}

function unreachable(code: string | undefined): Failure | undefined {
  const message = hints.get(code ?? '');
  return message === undefined ? undefined : { code: 'unreachable', message, exitCode: unavailable };
}

/** An operator also sees the cause, which the API keeps to itself. */
function ofApiError({ code, message, cause, internal = '' }: ApiError): Failure {
  const failure = { code, message: states.get(internal) ?? message, exitCode: unavailable };
  return cause === undefined ? failure : (unreachable(describeError(cause).code) ?? failure);
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof CommanderError) return ofCommandLine(error);
  if (error instanceof OperatorError) return error;
  if (error instanceof CommitUncertain) return ofUncertain(error);
  if (error instanceof ApiError) return ofApiError(error);
  const { name, code = '' } = describeError(error);
  const sentence = sentences.get(code) ?? unreachable(code);
  if (sentence !== undefined) return sentence;
  const what = [name, code].filter((part) => part !== '').join(' ');
  const message = `Kelpie stopped: ${what}. The log has the stack trace.`;
  return { code: 'fault', message, exitCode: fault, isFault: true };
}
