import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** A reader that is slow has so much to catch up with. What comes beyond is dropped, and counted. */
const mostWaitingBytes = 4 * 1024 * 1024;
const mostAtOnceBytes = 64 * 1024;
/** How long a full pipe is left alone before it is tried again. */
const retryMs = 20;

type OnWritten = (error: NodeJS.ErrnoException | null, bytes: number) => void;

interface Writer {
  write(chunk: Buffer, onWritten: OnWritten): void;
  /** As much as is taken without waiting. Throws where that is nothing. */
  writeNow(chunk: Buffer): number;
}

function fileWriter(fd: number): Writer {
  return { write: (chunk, onWritten) => write(fd, chunk, onWritten), writeNow: (chunk) => writeSync(fd, chunk) };
}

/** As systemd's journal gives it. The runtime's own socket does not wait for its reader. */
function socketWriter(fd: number): Writer {
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.unref();
  // Who wrote learns of it.
  socket.on('error', () => undefined);
  return {
    write: (chunk, onWritten) => void socket.write(chunk, (error) => onWritten(error ?? null, chunk.length)),
    writeNow: (chunk) => writeSync(fd, chunk),
  };
}

/**
 * A pipe that is not read blocks whoever writes to it: a thread for as long, and so the end of the process. Opened anew, it
 * refuses instead, without changing it for others that share it.
 */
function openWithoutBlocking(fd: number): Writer {
  try {
    const kind = fstatSync(fd);
    if (kind.isSocket()) return socketWriter(fd);
    return fileWriter(kind.isFIFO() ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK) : fd);
  } catch {
    // Not Linux, or nobody reads it at all: it is written to as it is.
    return fileWriter(fd);
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
  const writer = openWithoutBlocking(standardOutput);
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
    writer.write(chunk, (error, bytes) => {
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
    for (let chunk = next(); chunk !== undefined; chunk = next()) wrote(writer.writeNow(chunk));
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
