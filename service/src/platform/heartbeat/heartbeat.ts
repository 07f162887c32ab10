import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { SingleCalls } from '../database/single-call.ts';
import type { Logger } from '../logging.ts';
import { ConfigurationError } from '../configuration/configuration.ts';
import { settings } from '../configuration/settings.ts';
import { readAnchor, writeAnchor } from './anchor.ts';
import { compareHeartbeat, raiseHeartbeat } from './store.ts';

/** What a restore can lose unnoticed is what happened since the last beat. */
const everyMs = 10_000;
/** Two workers beat once in that time. */
const dueAfterMs = 8_000;
const anchorWrittenWithinMs = 1_000;

export interface HeartbeatDeps {
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  anchorFile: string;
  /** Called after each comparison that could be made. */
  onRound?: () => void;
}

export interface Heartbeat {
  stop(): Promise<void>;
}

/**
 * Compares the database with its anchor, and closes live if it was restored. Undefined where the anchor can't say. Only a
 * new installation has none: its first heartbeat creates it.
 */
async function compare({ calls, clock, logger, anchorFile }: HeartbeatDeps): Promise<bigint | undefined> {
  const anchor = await readAnchor(anchorFile);
  if (anchor.kind === 'unreadable') return undefined;
  const anchored = anchor.kind === 'read' ? anchor.number : 0n;
  const { number, isBehind } = await compareHeartbeat(calls, { anchored, at: clock.now() });
  if (isBehind) logger.error({}, 'recovery.database_behind');
  return anchor.kind === 'missing' && number > 0n ? undefined : anchored;
}

/** Before a process takes work. Without its anchor none starts, because nothing else would notice a restore. */
export async function compareAtStart(deps: HeartbeatDeps): Promise<void> {
  if ((await compare(deps)) !== undefined) return;
  // The first heartbeat of all may have been committed just now, and its anchor not written yet.
  await wait(anchorWrittenWithinMs);
  if ((await compare(deps)) !== undefined) return;
  throw new ConfigurationError([
    `${settings.heartbeatAnchor.variable}: ${deps.anchorFile} cannot be read. Mount the storage that has it. If it is lost, run \`kelpie-admin recovery begin\`: it closes live and creates the file again.`,
  ]);
}

/** A running process reports an anchor that it can't read, and compares again the next time. */
async function beat(deps: HeartbeatDeps, { raises }: { raises: boolean }): Promise<void> {
  const { logger } = deps;
  const anchored = await compare(deps);
  if (anchored === undefined) {
    logger.error({}, 'heartbeat.anchor_unreadable');
    return;
  }
  if (raises) await raise(deps, anchored);
  deps.onRound?.();
}

async function raise({ calls, clock, anchorFile }: HeartbeatDeps, anchored: bigint): Promise<void> {
  const { number, outcome } = await raiseHeartbeat(calls, { anchored, at: clock.now(), everyMs: dueAfterMs });
  // Only after the commit: the anchor never names a number that the database could still lose by itself.
  if (outcome === 'raised') await writeAnchor(anchorFile, number);
}

/** A worker raises the number; an api process only compares, so that it too notices a restore while it runs. */
export function startHeartbeat(deps: HeartbeatDeps, options: { raises: boolean }): Heartbeat {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await beat(deps, options).catch((error: unknown) => deps.logger.error({ error }, 'heartbeat.failed'));
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
