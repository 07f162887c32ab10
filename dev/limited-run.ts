import { execFileSync } from 'node:child_process';
import { projectFolder } from './project.ts';

/** So few that the last ones begun before the end of the time are soon over; each group costs the start of a runner. */
const groupSize = 4;

/** The same files in the same order, beginning at another one for most commits: what one run leaves out, others begin with. */
export function beginAt(commit: string, files: readonly string[]): string[] {
  const first = Number.parseInt(commit.slice(0, 8), 16) % files.length;
  return [...files.slice(first), ...files.slice(0, first)];
}

export function currentCommit(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: projectFolder, encoding: 'utf8' }).trim();
}

export interface LimitedOutcome {
  code: number;
  notRun: readonly string[];
}

/** Runs group after group until the time is over: at least one, and none is broken off. */
export async function runWithin(
  files: readonly string[],
  { isOver, run }: { isOver: () => boolean; run: (group: readonly string[]) => Promise<number> },
): Promise<LimitedOutcome> {
  let code = 0;
  for (let begun = 0; begun < files.length; begun += groupSize) {
    if (begun > 0 && isOver()) return { code, notRun: files.slice(begun) };
    code = (await run(files.slice(begun, begun + groupSize))) || code;
  }
  return { code, notRun: [] };
}
