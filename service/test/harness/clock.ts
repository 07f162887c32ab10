import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

export interface TestClock {
  /** For KELPIE_TEST_CLOCK_FILE of the processes that shall share this clock. */
  file: string;
  /** Moves it, forwards or back, for every process at once. */
  move(byMs: number): void;
}

export function createTestClock({ atEnd = after }: { atEnd?: (end: () => Promise<unknown>) => void } = {}): TestClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-clock-'));
  atEnd(async () => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'shift-ms');
  let shiftMs = 0;
  // In one step: a process that read a file which is just being written would find it empty, and the clock not moved at all.
  const write = (): void => {
    writeFileSync(`${file}.new`, String(shiftMs));
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    file,
    move(byMs) {
      shiftMs += byMs;
      write();
    },
  };
}

/**
 * For our processes and for the bank alike: each refuses what the other says of another time. The bank goes first, so that what
 * is due by our clock is so at the bank as well; it would be asked again much later otherwise.
 */
export async function passTime(
  { clock, bank }: { clock: TestClock; bank: { control(path: string, body: object): Promise<unknown> } },
  ms: number,
): Promise<void> {
  await bank.control('/clock', { move_ms: ms });
  clock.move(ms);
}
