/**
 * Events that an outage of the database or a bank repeats by the thousand. Of lines about one payout, only what its history
 * has as well.
 */
const limitedEvents = new Set([
  'activity.not_written',
  'database.connection_lost',
  'heartbeat.failed',
  'heartbeat.not_compared',
  'jobs.engine_error',
  'jobs.engine_warning',
  'jobs.not_started',
  'jobs.probe_failed',
  'payout.not_accepted',
  'request.refused',
  'security_event.not_written',
  'sweep.failed',
  'uses.not_written',
  'wake_up.not_heard',
  'wake_up.not_sent',
]);
const windowMs = 1_000;
/** With a summary and a line of another kind, ten per second. */
const mostPerWindow = 8;
const mostKinds = 1_000;
const mostListed = 20;

interface Line {
  event: string;
  /** Tells lines of one event apart. */
  code?: string | undefined;
  status?: unknown;
  /** Its error is that the database is away, whatever the line is about. */
  isOutage?: boolean;
}

export interface LineLimit {
  /** Whether a line is written. One that is not is counted. */
  admit(line: Line): boolean;
  /** What was counted and not written since the last call, most frequent first: `request.refused 25006: 480`. */
  takeRepeats(): string[];
}

/** An answer that says we can't serve, or that a caller asks too often, comes as often as it is asked. */
function isLimited({ event, status, isOutage = false }: Line): boolean {
  if (isOutage) return true;
  if (event === 'request.done') return typeof status === 'number' && (status === 429 || status >= 500);
  return limitedEvents.has(event);
}

/** Lets the first line of each kind through in every second, and only a few kinds. The others are counted. */
export function createLineLimit(now: () => number = () => performance.now()): LineLimit {
  const repeats = new Map<string, number>();
  let written = new Set<string>();
  let windowEndsAt = -Infinity;
  return {
    admit(line) {
      if (!isLimited(line)) return true;
      const { event, code, status } = line;
      const at = now();
      if (at >= windowEndsAt) {
        written = new Set();
        windowEndsAt = at + windowMs;
      }
      const kind = [event, code ?? (typeof status === 'number' ? String(status) : undefined)].filter(Boolean).join(' ');
      if (!written.has(kind) && written.size < mostPerWindow) {
        written.add(kind);
        return true;
      }
      const counted = repeats.has(kind) || repeats.size < mostKinds ? kind : 'other';
      repeats.set(counted, (repeats.get(counted) ?? 0) + 1);
      return false;
    },
    takeRepeats() {
      const counted = [...repeats].toSorted(([, one], [, other]) => other - one);
      repeats.clear();
      const listed = counted.slice(0, mostListed).map(([kind, count]) => `${kind}: ${count}`);
      const rest = counted.slice(mostListed).reduce((sum, [, count]) => sum + count, 0);
      return rest === 0 ? listed : [...listed.slice(0, -1), `other: ${rest + (counted[mostListed - 1]?.[1] ?? 0)}`];
    },
  };
}
