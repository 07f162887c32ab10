// How a process notices that its database was restored.
import { setTimeout as wait } from 'node:timers/promises';
import { compareAtStart, startHeartbeat, type HeartbeatDeps } from '../../platform/heartbeat/heartbeat.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { required, settings, type Setting } from '../../platform/configuration/settings.ts';

/** Null in development without one: then a restore is not noticed. */
export function chooseAnchor(get: <Value>(setting: Setting<Value>) => Value): string | null {
  const isProduction = get(settings.mode) === 'production';
  return get<string | null>(isProduction ? required(settings.heartbeatAnchor) : settings.heartbeatAnchor);
}

type Deps = Omit<HeartbeatDeps, 'anchorFile'> & { anchorFile: string | null };

const noHeartbeat = { stop: async (): Promise<void> => undefined };

/** Compared before the worker takes work, and raised while it runs. */
export async function startWorkerHeartbeat({ anchorFile, ...deps }: Deps): Promise<{ stop(): Promise<void> }> {
  if (anchorFile === null) return noHeartbeat;
  await compareAtStart({ ...deps, anchorFile });
  return startHeartbeat({ ...deps, anchorFile }, { raises: true });
}

const tryAgainMs = 1_000;

/** The same for an api process, which waits for a database that is away: it must not serve one that it has not compared. */
export async function startApiHeartbeat({ anchorFile, ...deps }: Deps): Promise<{ stop(): Promise<void> }> {
  if (anchorFile === null) return noHeartbeat;
  for (;;) {
    try {
      await compareAtStart({ ...deps, anchorFile });
      return startHeartbeat({ ...deps, anchorFile }, { raises: false });
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      deps.logger.warn({ error }, 'heartbeat.not_compared');
      await wait(tryAgainMs);
    }
  }
}
