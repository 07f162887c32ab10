/**
 * Called before and after everything that leaves the process: a call to the database, a request to the bank. Those are the
 * moments at which a crash can leave something half done, so a test can have the process killed at any of them.
 */
export type Failpoint = (point: string) => Promise<void>;

export const noFailpoint: Failpoint = async () => undefined;

/** Where a test wants the process to be killed, and how many must have come to that point first. */
export interface FailpointPlan {
  point: string;
  arrivals: number;
}

/** Those who arrive wait for the last of them; then the process is killed, with all of them at that very point. */
export function killAtFailpoint({ point, arrivals }: FailpointPlan): Failpoint {
  let arrived = 0;
  return async (reached) => {
    if (reached !== point) return;
    arrived += 1;
    if (arrived >= arrivals) process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
}
