type Status = 'ok' | 'warning' | 'problem';

/** What a check found, in one line. What is not `ok` says what to do. Never a secret in it. */
export interface Finding {
  status: Status;
  message: string;
}

export interface Check {
  name: string;
  /** Rejects with `NotChecked`, or with what went wrong. The signal is aborted at its deadline. */
  run: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warning = (message: string): Finding => ({ status: 'warning', message });
export const problem = (message: string): Finding => ({ status: 'problem', message });

/** What it takes is not on this machine, or not among these settings. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}
