import { readFileSync, readdirSync } from 'node:fs';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';

/** What Linux counts in for a whole process: hundredths of a second. A slice can use less than one. */
const microsecondsATick = 10_000;

interface ProcessStat {
  program: string;
  parent: number;
  /** Of children that have ended. */
  endedTicks: number;
}

/** What the threads of a process have used so far, which the scheduler counts in nanoseconds. Null where it has ended. */
function readOwnMicroseconds(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const used = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1_000;
  } catch {
    return null;
  }
}

/** Null where the process has ended meanwhile. */
function readStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The program's name is in brackets and may hold spaces; the fields behind it do not.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    program: text.slice(text.indexOf('(') + 1, end),
    parent: field(4),
    endedTicks: field(16) + field(17),
  };
}

function present<Value>(value: Value | null, pid: number): Value {
  if (value === null) throw new Error(`the process ${pid}, which is measured, has ended`);
  return value;
}

/** The postmaster's process: the parent of whoever answers. The server has to be on this machine. */
export async function findPostmaster(adminUrl: string): Promise<number> {
  return asAdmin(adminUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = readStat(rows[0]?.pid ?? 0);
    if (backend?.program !== 'postgres')
      throw new Error('This server is not on this machine, so its use of the processor can not be read.');
    return backend.parent;
  });
}

export interface ProcessorTime {
  pgMicroseconds: number;
  nodeMicroseconds: number;
}

/** What a process has used so far. */
export function readProcessTime(pid: number): number {
  return present(readOwnMicroseconds(pid), pid);
}

const mostTries = 5;

/**
 * What the whole server has used so far, backends that have ended included. One that ends between the two readings would be in
 * neither, so they are taken again where it used a hundredth of a second or more.
 */
export function readServerTime(postmaster: number): number {
  const readEnded = (): number => present(readStat(postmaster), postmaster).endedTicks;
  for (let tries = 1; ; tries += 1) {
    const endedTicks = readEnded();
    const running = readBackends(postmaster);
    if (readEnded() === endedTicks || tries === mostTries)
      return endedTicks * microsecondsATick + readProcessTime(postmaster) + running;
  }
}

function readBackends(postmaster: number): number {
  let microseconds = 0;
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d/.test(entry) ? readStat(Number(entry)) : null;
    if (stat?.parent === postmaster) microseconds += readOwnMicroseconds(Number(entry)) ?? 0;
  }
  return microseconds;
}

/** The server and the api. */
export function readProcessorTime(postmaster: number, api: number): ProcessorTime {
  return { pgMicroseconds: readServerTime(postmaster), nodeMicroseconds: readProcessTime(api) };
}
