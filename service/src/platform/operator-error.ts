/** An error whose message we wrote for the person who runs Kelpie: it is shown to them whole. Never a secret in it. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** What the process ends with. */
  readonly exitCode: number = 1;
}
