import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startChild } from '@kelpie/dev/child-process.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import { readProcessTime } from './processor-time.ts';

/** The most memory that a process has had, as Linux counts it. */
function peakMemoryMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

const lookEveryMs = 100;

/** A command of `kelpie-admin`, as an operator runs it: how long it took, what it used of the processor, the most memory that it had, and what it said. */
export async function measureCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  say: (text: string) => void,
): Promise<{ seconds: number; cpuSeconds: number; peakMb: number; said: string }> {
  const startedAt = performance.now();
  const child = startChild({
    name: 'kelpie-admin',
    file: 'service/src/app/cli.ts',
    args: [...args],
    env: { KELPIE_MODE: 'development', ...testSecrets, ...env },
    onLine: say,
  });
  let peakMb = 0;
  let cpuSeconds = 0;
  const watch = setInterval(() => {
    try {
      peakMb = Math.max(peakMb, peakMemoryMb(child.pid));
      cpuSeconds = readProcessTime(child.pid) / 1_000_000;
    } catch {
      // It has just ended.
    }
  }, lookEveryMs);
  const { code } = await child.exited;
  clearInterval(watch);
  assert.equal(code, 0, child.output());
  return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds, peakMb, said: child.output() };
}
