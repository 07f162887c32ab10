import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { parseLogLine } from '@kelpie/dev/log-line.ts';
import { residentMb } from '../harness/resident-memory.ts';
import type { World } from '../harness/world.ts';

/** The most that any one process used in a second: memory, warnings and errors in its log, and database connections. */
export interface Peaks {
  apiMegabytes: number;
  workerMegabytes: number;
  linesASecond: number;
  /** Of all api processes together, and of all workers. */
  apiConnections: number;
  workerConnections: number;
}

export interface ProcessWatch {
  /** Since the last call. */
  takePeaks(): Peaks;
  stop(): void;
}

const everyMs = 1_000;
const answeredWithinMs = 3_000;
const none: Peaks = { apiMegabytes: 0, workerMegabytes: 0, linesASecond: 0, apiConnections: 0, workerConnections: 0 };
/** Each request logs one line of level info. An outage must not add to those by more than a few. */
const levels = new Set(['warn', 'error', 'fatal']);

function megabytesOf(pid: number): number {
  try {
    return Math.round(residentMb(pid));
  } catch {
    // It was killed.
    return 0;
  }
}

async function countConnections(superuserUrl: string): Promise<{ api: number; worker: number }> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ api: number; worker: number }>(
      `select count(*) filter (where application_name like 'kelpie-api%')::int as api,
         count(*) filter (where application_name like 'kelpie-worker%')::int as worker
       from pg_stat_activity where usename = 'kelpie_service'`,
    );
    return rows[0] ?? { api: 0, worker: 0 };
  });
}

/** The second in which a warning or an error was written; undefined for other lines. */
function secondOf(line: string): string | undefined {
  const parsed = parseLogLine(line);
  return levels.has(String(parsed?.['level'])) ? String(parsed?.['time']).slice(0, 19) : undefined;
}

/** `leaderUrl` answers with the address of the server that takes writes, past any proxy; it may fail during a fault. */
export function watchProcesses(
  { processes }: Pick<World, 'processes'>,
  leaderUrl: () => Promise<string>,
): ProcessWatch {
  let peaks = { ...none };
  const read = new Map<number, number>();
  /** Lines by process and second. */
  const written = new Map<string, number>();
  let isCounting = false;
  const raise = (what: keyof Peaks, value: number): void => {
    peaks[what] = Math.max(peaks[what], value);
  };
  const count = async (): Promise<void> => {
    isCounting = true;
    // Without a leader there is nobody to ask, and one that is frozen does not answer.
    const counted = leaderUrl()
      .then(countConnections)
      .catch(() => undefined);
    const connections = await Promise.race([counted, wait(answeredWithinMs, undefined, { ref: false })]);
    if (connections !== undefined) {
      raise('apiConnections', connections.api);
      raise('workerConnections', connections.worker);
    }
    isCounting = false;
  };
  const look = (): void => {
    for (const child of processes) {
      raise('url' in child ? 'apiMegabytes' : 'workerMegabytes', megabytesOf(child.pid));
      const lines = child.lines();
      for (const second of lines.slice(read.get(child.pid) ?? 0).map(secondOf)) {
        if (second === undefined) continue;
        const key = `${child.pid} ${second}`;
        written.set(key, (written.get(key) ?? 0) + 1);
        raise('linesASecond', written.get(key) ?? 0);
      }
      read.set(child.pid, lines.length);
    }
    if (!isCounting) void count();
  };
  const timer = setInterval(look, everyMs);
  return {
    takePeaks() {
      const taken = peaks;
      peaks = { ...none };
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
