import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Logger } from '../platform/logging.ts';
import { recordUses, redigestSecrets, type Redigest } from './store.ts';

/** What is used, and whose last use people are shown. */
type Used = 'key' | 'session';

/** Remembers when keys and sessions were used. They are written a moment later, so that a request that reads writes nothing. */
export interface UseRecorder {
  record(used: Used, id: string): void;
  /** A secret was recognised by a digest under an earlier pepper: from now on it has this one. */
  redigest(redigest: Redigest): void;
  /** Writes what is remembered. */
  stop(): Promise<void>;
}

const flushAfterMs = 250;
/** Shown to the minute, so one that was written so lately is not written again. */
const writeEveryMs = 60_000;
const mostRemembered = 20_000;

interface Uses {
  /** Not written yet. */
  waiting: Map<string, Date>;
  /** When each was last sent to be written. */
  written: Map<string, number>;
}

const noUses = (): Uses => ({ waiting: new Map(), written: new Map() });

export function createUseRecorder(
  calls: SingleCalls,
  { clock, logger, pepperVersion }: { clock: Clock; logger: Logger; pepperVersion: number },
): UseRecorder {
  const uses: Readonly<Record<Used, Uses>> = { key: noUses(), session: noUses() };
  const redigests = new Map<string, Redigest>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const take = ({ waiting, written }: Uses): [string, Date][] => {
    const taken = [...waiting];
    waiting.clear();
    if (written.size + taken.length > mostRemembered) written.clear();
    for (const [id, at] of taken) written.set(id, at.getTime());
    return taken;
  };

  /** What could not be written is forgotten: the next use is written as well as this one. */
  const write = async (): Promise<void> => {
    const [keys, sessions] = [take(uses.key), take(uses.session)];
    const digests = [...redigests.values()];
    redigests.clear();
    try {
      if (keys.length + sessions.length > 0) await recordUses(calls, { keys, sessions });
      if (digests.length > 0) await redigestSecrets(calls, digests, pepperVersion);
    } catch (error) {
      for (const { written } of Object.values(uses)) written.clear();
      logger.warn({ error }, 'uses.not_written');
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };

  return {
    record(used, id) {
      const { waiting, written } = uses[used];
      const now = clock.now();
      if (now.getTime() - (written.get(id) ?? -Infinity) < writeEveryMs) return;
      if (!calls.writeGate.isOpen() || waiting.size >= mostRemembered) return;
      waiting.set(id, now);
      timer ??= setTimeout(() => void flush(), flushAfterMs).unref();
    },
    redigest(redigest) {
      if (!calls.writeGate.isOpen() || redigests.size >= mostRemembered) return;
      redigests.set(redigest.before.toString('base64'), redigest);
      timer ??= setTimeout(() => void flush(), flushAfterMs).unref();
    },
    stop: flush,
  };
}
