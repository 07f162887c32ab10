// What a command says when it can not do what was asked, and what it then ends with. docs/operating.md lists the same.
import { CommanderError } from 'commander';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { CommitUncertain } from '../../platform/database/transaction.ts';
import { describeError } from '../../platform/logging.ts';
import { OperatorError, refusedExitCode } from '../../platform/operator-error.ts';
import { ApiError } from '../../platform/api-error.ts';
import { hints } from '../wiring/last-error.ts';

export const exitCodes = {
  done: 0,
  /** It looked, and found something that is wrong; or a part of the work failed. */
  found: 1,
  /** Nothing was changed. */
  refused: refusedExitCode,
  /** The command line is wrong. */
  usage: 64,
  /** The database, or the bank, is not to be had just now. */
  unavailable: 69,
  /** A fault of ours. */
  fault: 70,
} as const;

export interface Failure {
  /** For programs. */
  code: string;
  message: string;
  exitCode: number;
  /** Whether it is worth a line in the log that says where in the code. */
  isFault?: true;
}

const { refused, unavailable, fault, usage } = exitCodes;

const older = 'The database is older than this command. Bring it up to date first: `kelpie-admin migrate`.';
const busy = 'Somebody else is at the same just now, perhaps another operator. Nothing was changed: try again.';

/** What the database says by a code, in a sentence. */
const sentences = new Map<string, Failure>([
  [
    sqlStates.booksClosed,
    {
      code: 'books_closed',
      message:
        'Nothing was charged: the month that it would have gone into was just invoiced, and its books are closed. Run the same again: it then goes into the month that is open.',
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
        'The database does not let this role do that. Does each KELPIE_…DATABASE_URL name the role that docs/configuration.md says?',
      exitCode: unavailable,
    },
  ],
]);

function ofCommandLine({ code, message, exitCode }: CommanderError): Failure {
  // Somebody asked for help, and got it.
  if (exitCode === 0) return { code, message, exitCode };
  const said = message.replace(/^error: /, '');
  return { code: 'usage', message: said === '(outputHelp)' ? 'Say which command.' : said, exitCode: usage };
}

function unreachable(code: string | undefined): Failure | undefined {
  const message = hints.get(code ?? '');
  return message === undefined ? undefined : { code: 'unreachable', message, exitCode: unavailable };
}

/** What a caller of the API would be told to try again; whoever runs Kelpie is told what is behind it. */
function ofApiError({ code, message, cause }: ApiError): Failure {
  const said = { code, message, exitCode: unavailable };
  return cause === undefined ? said : (unreachable(describeError(cause).code) ?? said);
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof CommanderError) return ofCommandLine(error);
  if (error instanceof OperatorError) return error;
  if (error instanceof CommitUncertain) {
    const message =
      'Nobody knows whether it was done: the database did not say. `kelpie-admin audit list` shows whether it was.';
    return { code: 'uncertain', message, exitCode: fault };
  }
  if (error instanceof ApiError) return ofApiError(error);
  const { name, code = '' } = describeError(error);
  const sentence = sentences.get(code) ?? unreachable(code);
  if (sentence !== undefined) return sentence;
  const what = [name, code].filter((part) => part !== '').join(' ');
  const message = `Kelpie stopped because of ${what}. The line in the log says where in the code.`;
  return { code: 'fault', message, exitCode: fault, isFault: true };
}
