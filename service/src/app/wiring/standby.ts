import { settings, type Setting } from '../../platform/configuration/settings.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { createPositionReader } from '../../platform/database/standby/position.ts';
import { createReads, type Reads } from '../../platform/database/standby/reads.ts';
import { createStandby } from '../../platform/database/standby/standby.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';

export function chooseStandby(get: <Value>(setting: Setting<Value>) => Value) {
  return { url: get(settings.standbyDatabaseUrl), connections: get(settings.databaseConnections) };
}

interface StandbyDeps {
  calls: SingleCalls;
  logger: Logger;
  meter: Meter;
  measurePool: (name: string, pool: Pool) => void;
  applicationName: string;
}

/** Reads that a standby answers, where there is one. */
export function openStandbyReads(
  { url, connections }: ReturnType<typeof chooseStandby>,
  { calls, logger, meter, measurePool, applicationName }: StandbyDeps,
): Reads & { end(): Promise<void> } {
  if (url === null) return { ...createReads(calls, null), end: async () => undefined };
  const pool = openPool({ url, connections, applicationName, logger, pace: 'standby' });
  measurePool(applicationName, pool);
  const standby = createStandby({ pool, findPosition: createPositionReader(calls), logger, meter });
  return { ...createReads(calls, standby), end: async () => pool.end() };
}
