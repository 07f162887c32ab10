import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { ClusterError } from './postgres/cluster.ts';

/** One `npm run dev` per database server, or one `npm run cluster`, holds a claim: the first to stop would stop both. */
export interface StackClaim {
  /** Tells the next one to wait for us. */
  markStopping(): Promise<void>;
  release(): Promise<void>;
}

interface ClaimOptions {
  file: string;
  /** What a person ran. */
  command: string;
  /** What to do where another one is running. */
  ifRunning: string;
  /** Throws if the person gave up meanwhile. */
  throwIfEnding: () => void;
}

interface Holder {
  pid: number;
  /** In clock ticks since boot: tells a process from a later one with the same number. */
  startedAt: string;
  isStopping: boolean;
}

const stoppedWithinMs = 60_000;

/** When a process was started; undefined if it has ended. */
export function startOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Who holds a claim, if it is still running. */
export async function findHolder(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [pid = '', startedAt = '', phase] = text.trim().split(' ');
  if (startedAt === '' || startOf(Number(pid)) !== startedAt) return undefined;
  return { pid: Number(pid), startedAt, isStopping: phase === 'stopping' };
}

async function waitUntilStopped({ file, command, throwIfEnding }: ClaimOptions, { pid }: Holder): Promise<void> {
  console.log(`Another ${command} (pid ${pid}) is still stopping. Waiting for it…`);
  const isOver = async (): Promise<boolean> => {
    throwIfEnding();
    return (await findHolder(file)) === undefined;
  };
  await eventually(`the other ${command} has stopped`, isOver, stoppedWithinMs).catch((error: unknown) => {
    throwIfEnding();
    throw new ClusterError(`${command} (pid ${pid}) has not stopped. Stop it with: kill -9 ${pid}`, { cause: error });
  });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Only one of several that start at once creates the file. */
async function takeFile(file: string): Promise<boolean> {
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(file, `${process.pid} ${startOf(process.pid) ?? ''} running\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (!isTaken(error)) throw error;
    return false;
  }
}

/** Waits for a stack that is stopping, and refuses where one is running. */
export async function claimStack(options: ClaimOptions): Promise<StackClaim> {
  const { file, ifRunning } = options;
  while (!(await takeFile(file))) {
    const holder = await findHolder(file);
    // Left behind by one that was killed.
    if (holder === undefined) await rm(file, { force: true });
    else if (holder.isStopping) await waitUntilStopped(options, holder);
    else throw new ClusterError(`Kelpie is already running (pid ${holder.pid}). ${ifRunning}`);
  }
  return {
    markStopping: async () => writeFile(file, `${process.pid} ${startOf(process.pid) ?? ''} stopping\n`),
    release: async () => rm(file, { force: true }),
  };
}
