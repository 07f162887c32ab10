import { DatabaseError } from 'pg';

/** Why the database did not serve a request: logs carry it as `error_code`. None of them is a bug of ours. */
export type DatabaseState =
  /** A standby, a server that was demoted, or one that an operator has made read-only. */
  | 'database_read_only'
  | 'database_shutting_down'
  /** No server, or the connection broke. */
  | 'database_unreachable'
  /** It took the bytes and did not answer in time: half open, or its standby does not confirm. */
  | 'database_timed_out'
  /** Our own connections are all in use. */
  | 'database_connections_in_use'
  | 'database_connections_refused'
  | 'database_out_of_space'
  | 'database_out_of_memory'
  /** The server gave up waiting for a lock, a slow statement, or a transaction that was in the way. */
  | 'database_busy'
  /** The server warned while it committed. */
  | 'database_commit_unconfirmed'
  /** The server refused the login or the statement: its configuration or ours is wrong. */
  | 'database_refused';

const bySqlState = new Map<string, DatabaseState>([
  ['25006', 'database_read_only'],
  // Idle for too long in a transaction: the server ends the connection.
  ['25P03', 'database_unreachable'],
  ['40001', 'database_busy'],
  ['40P01', 'database_busy'],
  ['53000', 'database_out_of_memory'],
  ['53100', 'database_out_of_space'],
  ['53200', 'database_out_of_memory'],
  ['53300', 'database_connections_refused'],
  ['53400', 'database_out_of_memory'],
  ['55P03', 'database_busy'],
  ['57014', 'database_busy'],
  ['57P01', 'database_shutting_down'],
  ['57P02', 'database_shutting_down'],
  ['57P03', 'database_shutting_down'],
  ['57P04', 'database_unreachable'],
  ['57P05', 'database_unreachable'],
  ['58030', 'database_out_of_space'],
]);

/** The errors of the operating system that a connection can end with. */
const lostConnection = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** The driver's own errors have no code, only these texts. */
const byText: readonly (readonly [RegExp, DatabaseState])[] = [
  [/^timeout exceeded when trying to connect$/, 'database_connections_in_use'],
  [/^Query read timeout$/, 'database_timed_out'],
  [/^Connection terminated|not queryable$|^timeout expired$/, 'database_unreachable'],
];

function stateOfServerError({ code = '' }: DatabaseError): DatabaseState | undefined {
  return code.startsWith('08') ? 'database_unreachable' : bySqlState.get(code);
}

/** Why the database did not serve, or undefined where that is not what the error is about. */
export function databaseStateOf(error: unknown): DatabaseState | undefined {
  if (error instanceof DatabaseError) return stateOfServerError(error);
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    return lostConnection.has(error.code) ? 'database_unreachable' : undefined;
  }
  return byText.find(([text]) => text.test(error.message))?.[1];
}

/** Another connection may reach a server that serves: this one is not used again. */
const endsConnection: ReadonlySet<DatabaseState> = new Set([
  'database_read_only',
  'database_shutting_down',
  'database_unreachable',
  'database_timed_out',
  'database_commit_unconfirmed',
] satisfies DatabaseState[]);

export function isConnectionUsable(error: unknown): boolean {
  const state = databaseStateOf(error);
  return error instanceof DatabaseError && (state === undefined || !endsConnection.has(state));
}

/**
 * Whether a statement that failed so may have been committed. A server that says no has undone it, except where it is ending:
 * then its word can come after the commit.
 */
export function mayBeCommitted(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  const state = databaseStateOf(error);
  return state === 'database_shutting_down' || state === 'database_unreachable';
}

/** Further writes would fail alike, or leave one more connection waiting in the server. */
const affectsEveryWrite: ReadonlySet<DatabaseState> = new Set([
  ...endsConnection,
  'database_connections_refused',
  'database_out_of_space',
] satisfies DatabaseState[]);

export function stopsWrites(state: DatabaseState): boolean {
  return affectsEveryWrite.has(state);
}
