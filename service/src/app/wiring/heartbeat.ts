// How a process notices that its database was restored.
import { compareAtStart, startHeartbeat, type HeartbeatDeps } from '../../platform/heartbeat/heartbeat.ts';
import { required, settings, type Setting } from '../../platform/configuration/settings.ts';
import { untilDatabaseServes } from './until-database-serves.ts';

/** Null in development without one: then a restore is not noticed. */
export function chooseAnchor(get: <Value>(setting: Setting<Value>) => Value): string | null {
  const isProduction = get(settings.mode) === 'production';
  return get<string | null>(isProduction ? required(settings.heartbeatAnchor) : settings.heartbeatAnchor);
}

type Deps = Omit<HeartbeatDeps, 'anchorFile'> & { anchorFile: string | null };

const noHeartbeat = { stop: async (): Promise<void> => undefined };

async function startCompared(
  { anchorFile, ...deps }: Deps,
  options: { raises: boolean },
): Promise<{ stop(): Promise<void> }> {
  if (anchorFile === null) return noHeartbeat;
  await untilDatabaseServes(deps.logger, async () => compareAtStart({ ...deps, anchorFile }));
  return startHeartbeat({ ...deps, anchorFile }, options);
}

/** Compared before the worker takes work, and raised while it runs. `watch` is asked who hears of each time, where there is an anchor. */
export async function startWorkerHeartbeat(deps: Deps, watch: () => () => void): Promise<{ stop(): Promise<void> }> {
  return startCompared(deps.anchorFile === null ? deps : { ...deps, onRound: watch() }, { raises: true });
}

/** The same for an api process: it must not serve a database that it has not compared. */
export async function startApiHeartbeat(deps: Deps): Promise<{ stop(): Promise<void> }> {
  return startCompared(deps, { raises: false });
}
