import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import { byComponent, components, levels, type Component } from './components.ts';
import { readStatusFile, writeStatusFile, type KeptStatus } from './file.ts';
import { judge, judgeWithoutDatabase, noSignals, withIncidents, type Judged, type OwnSignals } from './judge.ts';
import { createReport, type StatusReport } from './report.ts';
import { readStatus, recordStatus } from './store.ts';

const everyMs = { well: 10_000, failing: 2_000 };
/** One read that fails is no outage. */
const failsForMs = 5_000;
const readWithinMs = 3_000;
const fileEveryMs = 30_000;
const minuteMs = 60_000;

interface WatchDeps {
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  /** Where the last known record is kept for the next process; null for nowhere. */
  file: string | null;
  own: () => OwnSignals;
}

export interface StatusWatch {
  /** Calls back with each new report. Resolves after the first, which is there within seconds also without a database. */
  start: (onReport: (report: StatusReport) => void) => Promise<void>;
  stop: () => Promise<void>;
}

/** Resolves with null at the deadline. The read ends by deadlines of its own. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const late = new AbortController();
  try {
    return await Promise.race([work, wait(ms, null, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

/** Reads the database again and again, so that no request for the page has to. Records a minute where no other process did. */
export function createStatusWatch({ calls, clock, logger, file, own }: WatchDeps): StatusWatch {
  const stopping = new AbortController();
  let kept: KeptStatus | null = null;
  let keptInFileAt = -Infinity;
  let hasRead = false;
  let failsSince: number | null = null;
  let reading: Promise<KeptStatus | null> | null = null;
  let ended: Promise<void> = Promise.resolve();

  const readOnce = async (): Promise<KeptStatus | null> => {
    const readAt = clock.now();
    try {
      return { readAt, record: await readStatus(calls, readAt) };
    } catch (error) {
      logger.warn({ error }, 'status.not_read');
      return null;
    }
  };
  /** One at a time: a server that hangs must not take all connections. */
  const read = async (): Promise<boolean> => {
    reading ??= readOnce().finally(() => {
      reading = null;
    });
    const found = await within(readWithinMs, reading);
    if (found === null) return false;
    kept = found;
    hasRead = true;
    return true;
  };
  const record = async (judged: Readonly<Record<Component, Judged>>): Promise<void> => {
    if (kept === null || !isDue(kept, judged)) return;
    const recorded = recordStatus(
      calls,
      kept.readAt,
      byComponent((component) => judged[component].level),
    ).catch((error: unknown) => logger.warn({ error }, 'status.not_recorded'));
    await within(readWithinMs, recorded);
  };
  const keepInFile = async (): Promise<void> => {
    if (file === null || kept === null || performance.now() - keptInFileAt < fileEveryMs) return;
    keptInFileAt = performance.now();
    await writeStatusFile(file, kept).catch((error: unknown) => logger.warn({ error }, 'status.file_not_written'));
  };
  const isDown = (): boolean => {
    if (failsSince !== null && (!hasRead || performance.now() - failsSince >= failsForMs)) return true;
    return calls.writeGate.closedForMs() >= failsForMs;
  };
  const report = (): { judged: Record<Component, Judged>; report: StatusReport } => {
    const isCurrent = !isDown();
    const measured = judge(kept?.record.signals ?? noSignals, own());
    const judged = withIncidents(isCurrent ? measured : judgeWithoutDatabase(measured), kept?.record.incidents ?? []);
    const shown = { at: clock.now(), judged, record: kept?.record ?? null, readAt: kept?.readAt ?? null, isCurrent };
    return { judged, report: createReport(shown) };
  };
  const look = async (onReport: (report: StatusReport) => void): Promise<void> => {
    failsSince = (await read()) ? null : (failsSince ?? performance.now());
    const { judged, report: found } = report();
    onReport(found);
    if (failsSince !== null || !calls.writeGate.isOpen()) return;
    await record(judged);
    await keepInFile();
  };
  const run = async (onReport: (report: StatusReport) => void): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pauseMs = failsSince === null && calls.writeGate.isOpen() ? everyMs.well : everyMs.failing;
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await look(onReport);
    }
  };
  return {
    async start(onReport) {
      if (file !== null) kept = await readStatusFile(file);
      await look(onReport);
      ended = run(onReport);
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Whether this minute has no record yet, or one that is better than what this process found. */
function isDue({ readAt, record: { minute, now } }: KeptStatus, judged: Readonly<Record<Component, Judged>>): boolean {
  const thisMinute = Math.floor(readAt.getTime() / minuteMs) * minuteMs;
  if (minute === null || new Date(minute).getTime() < thisMinute) return true;
  return components.some((component) => levels.indexOf(judged[component].level) > levels.indexOf(now[component]));
}
