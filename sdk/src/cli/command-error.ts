// The exit codes that docs/partners/ lists, and a failure that this program itself finds.
export const exitCodes = {
  done: 0,
  /** It was done, and something about the result is not as wanted: a payout failed, or rows were refused. */
  found: 1,
  /** Nothing changed. */
  refused: 2,
  /** The command line is wrong. */
  usage: 64,
  /** The content of a file is wrong. */
  data: 65,
  /** Kelpie is unavailable or busy. */
  unavailable: 69,
  /** A bug in this program. */
  fault: 70,
  /** Not finished, or the outcome is unknown: run the same command again. */
  again: 75,
  /** The API key or the address is missing or wrong. */
  settings: 78,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

type FailingExit = Exclude<keyof typeof exitCodes, 'done'>;

export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** For programs. */
  readonly code: string;
  readonly exitCode: number;
  /** More for programs, as JSON. */
  readonly details: object | undefined;

  constructor(exit: FailingExit, code: string, message: string, details?: object) {
    super(message);
    this.code = code;
    this.exitCode = exitCodes[exit];
    this.details = details;
  }
}
