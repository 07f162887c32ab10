import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import { insertPages, type ActivityPage, type ActivityRow } from './store.ts';

interface AnsweredRow extends ActivityRow {
  /** The caller had used up its rate limit, whatever the answer says. */
  isOverLimit?: boolean;
}

export interface ActivityRecorder {
  /** Remembers a request. It is written a moment later, together with others, and nobody waits for that. */
  record(row: AnsweredRow): void;
  /** Writes what is remembered. Says nothing of whether that worked: what did not is tried again. */
  flush(): Promise<void>;
  /** The last of it: what can't be written now is lost, and that is said. */
  stop(): Promise<void>;
}

/** A partner sees its newest 200: of those that came in one moment, no more are worth writing. */
export const mostShown = 200;
const flushEveryMs = 250;
/** More than this are not remembered while the database does not take them. */
const mostRemembered = 20_000;
const mostPagesAtOnce = 500;
/** So often in a row. With a pause between them that is some seconds, and more where each of them waits. */
const mostFailures = 20;
/** A caller that is turned away a thousand times a second is told so once: its other requests would drown otherwise. */
const reportRejectedEveryMs = 1_000;

interface Remembered {
  byPartner: Map<string, ActivityRow[]>;
  size: number;
}

function nothing(): Remembered {
  return { byPartner: new Map(), size: 0 };
}

/** By their ids, which hold the time: those that are tried again come after newer ones. */
function newestOf(rows: readonly ActivityRow[]): ActivityRow[] {
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(-mostShown);
}

function pagesOf({ byPartner }: Remembered): ActivityPage[] {
  return [...byPartner.values()].flatMap((rows) => {
    const [first, ...others] = newestOf(rows);
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

function* inLots(pages: readonly ActivityPage[]): Generator<readonly ActivityPage[]> {
  for (let from = 0; from < pages.length; from += mostPagesAtOnce) yield pages.slice(from, from + mostPagesAtOnce);
}

export function createActivityRecorder(calls: SingleCalls, logger: Logger): ActivityRecorder {
  let remembered = nothing();
  let lost = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let isStopping = false;
  const turnedAway = new Map<string, number>();

  const isReportedAlready = ({ by }: ActivityRow): boolean => {
    const now = performance.now();
    if ((turnedAway.get(by) ?? 0) > now) return true;
    if (turnedAway.size >= mostRemembered) turnedAway.clear();
    turnedAway.set(by, now + reportRejectedEveryMs);
    return false;
  };

  const remember = (row: ActivityRow): void => {
    if (remembered.size >= mostRemembered) {
      lost += 1;
      return;
    }
    const rows = remembered.byPartner.get(row.partnerId);
    remembered.size += 1;
    if (rows === undefined) remembered.byPartner.set(row.partnerId, [row]);
    else if (rows.push(row) === 2 * mostShown) {
      remembered.byPartner.set(row.partnerId, newestOf(rows));
      remembered.size -= mostShown;
    }
  };

  const write = async (): Promise<void> => {
    if (!calls.writeGate.isOpen() && !isStopping) {
      // It would be refused, and lost after some tries.
      wake();
      return;
    }
    const taken = remembered;
    remembered = nothing();
    for (const lot of inLots(pagesOf(taken))) {
      try {
        await insertPages(calls, lot);
        failures = 0;
      } catch (error) {
        failures += 1;
        const rows = lot.flat();
        logger.warn({ error, requests: rows.length }, 'activity.not_written');
        // What is refused again and again may be refused for one row's sake: it must not keep out those that follow.
        if (failures > mostFailures) lost += rows.length;
        else for (const row of rows) remember(row);
        if (remembered.size > 0) wake();
      }
    }
    if (lost > 0) logger.error({ requests: lost }, 'activity.lost');
    lost = 0;
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (remembered.size > 0) writing = writing.then(write);
    return writing;
  };

  function wake(): void {
    timer ??= setTimeout(() => void flush(), flushEveryMs);
  }

  return {
    record({ isOverLimit = false, ...row }) {
      if ((isOverLimit || row.status === 429) && isReportedAlready(row)) return;
      remember(row);
      wake();
    },
    flush,
    async stop() {
      isStopping = true;
      failures = mostFailures;
      await flush();
      clearTimeout(timer);
    },
  };
}
