import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** A reader that is slow has so much to catch up with. What comes beyond is dropped, and counted. */
const mostWaitingBytes = 4 * 1024 * 1024;
const mostAtOnceBytes = 64 * 1024;
/** How long a full pipe is left alone before it is tried again. */
const retryMs = 20;

/**
 * A pipe that is not read blocks whoever writes to it: a thread for as long, and so the end of the process. Opened anew, it
 * refuses instead, without changing it for others that share it.
 */
function openWithoutBlocking(fd: number): number {
  try {
    return fstatSync(fd).isFIFO() ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK) : fd;
  } catch {
    // Not Linux, or nobody reads it at all: it is written to as it is.
    return fd;
  }
}

function isFull(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EAGAIN' || error?.code === 'EBUSY';
}

const flushes: (() => void)[] = [];

/** One listener for all: a process may open many loggers. */
function flushAtExit(flush: () => void): void {
  flushes.push(flush);
  if (flushes.length > 1) return;
  process.on('exit', () => {
    for (const one of flushes) {
      try {
        one();
      } catch {
        // As much as its reader takes without our waiting for it.
      }
    }
  });
}

interface LogDestinationOptions {
  /** How many lines were dropped, once its reader takes lines again. */
  reportDropped: (lines: number) => void;
  /** At once, for each. */
  onDropped: (() => void) | undefined;
}

/** Writes lines to a file descriptor in order, without ever waiting for its reader. */
export function openLogDestination(
  standardOutput: number,
  { reportDropped, onDropped }: LogDestinationOptions,
): { write(line: string): void } {
  const fd = openWithoutBlocking(standardOutput);
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let current: Buffer | undefined;
  let isWriting = false;
  let isUnderWay = false;
  let dropped = 0;

  const next = (): Buffer | undefined => {
    if (current !== undefined) return current;
    let bytes = 0;
    let count = 0;
    for (const line of waiting) {
      if (count > 0 && bytes + line.length > mostAtOnceBytes) break;
      bytes += line.length;
      count += 1;
    }
    current = count === 0 ? undefined : Buffer.concat(waiting.splice(0, count));
    return current;
  };
  const wrote = (bytes: number): void => {
    waitingBytes -= bytes;
    current = current === undefined || bytes >= current.length ? undefined : current.subarray(bytes);
    if (dropped === 0 || waitingBytes > mostWaitingBytes / 2) return;
    const lines = dropped;
    dropped = 0;
    reportDropped(lines);
  };
  const pump = (): void => {
    const chunk = next();
    isWriting = chunk !== undefined;
    if (chunk === undefined) return;
    isUnderWay = true;
    write(fd, chunk, (error, bytes) => {
      isUnderWay = false;
      if (isFull(error)) {
        setTimeout(pump, retryMs).unref();
        return;
      }
      // Its reader is gone: what was for it is let go.
      wrote(error === null ? bytes : chunk.length);
      pump();
    });
  };
  flushAtExit(() => {
    // The system has that one already, and finishes it.
    if (isUnderWay) current = undefined;
    for (let chunk = next(); chunk !== undefined; chunk = next()) wrote(writeSync(fd, chunk));
  });
  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (waitingBytes + bytes.length > mostWaitingBytes) {
        dropped += 1;
        onDropped?.();
        return;
      }
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (!isWriting) pump();
    },
  };
}
