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

export function createTestClock(): TestClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-clock-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'shift-ms');
  let shiftMs = 0;
  // Put in place whole: a process that reads it half written would be thrown back to the machine's own time.
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
