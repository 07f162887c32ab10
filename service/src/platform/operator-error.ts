/** What was asked for was refused, and nothing was changed. `docs/cli.md` lists what the command ends with. */
export const refusedExitCode = 2;

/** An error whose message we wrote for the person who runs Kelpie: it is shown to them whole. Never a secret in it. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** What the process ends with. */
  readonly exitCode: number = refusedExitCode;
  /** For programs. */
  readonly code: string;

  constructor(message: string, code = 'refused') {
    super(message);
    this.code = code;
  }
}
