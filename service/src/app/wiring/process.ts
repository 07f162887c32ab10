// What every Kelpie process does the same way: how it begins, how it is told to stop, and how it ends.
import { clockShiftedByFile, systemClock, type Clock } from '../../platform/clock.ts';
import {
  ConfigurationError,
  readConfiguration,
  type ChooseSettings,
} from '../../platform/configuration/configuration.ts';
import { killAtFailpoint, noFailpoint } from '../../platform/failpoint.ts';
import { createLogger, type Logger } from '../../platform/logging.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { openPool, type Pool } from '../../platform/database/pool.ts';
import { assertServiceRole } from '../../platform/database/service-role.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { explainLastError } from './last-error.ts';

/** From the signal to the end. What is not finished by then is finished by the next process. */
const stopDeadlineMs = 10_000;

/** Reads the settings, or ends the process with sentences that say what is wrong. */
function configurationOrExit<Configuration>(
  choose: ChooseSettings<Configuration>,
  env: NodeJS.ProcessEnv = process.env,
): Configuration {
  try {
    return readConfiguration(env, choose);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
}

export function clockFor(testClockFile: string | null): Clock {
  return testClockFile === null ? systemClock : clockShiftedByFile(testClockFile);
}

/** The parts that api and worker share, with the settings that each asks for besides. */
async function beginProcess<Own>(name: 'api' | 'worker', chooseOwn: ChooseSettings<Own>) {
  const { shared, own } = configurationOrExit((get) => ({
    shared: {
      mode: get(settings.mode),
      databaseUrl: get(settings.databaseUrl),
      databaseConnections: get(settings.databaseConnections),
      metricsHost: get(settings.metricsHost),
      metricsPort: get(settings.metricsPort),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
      testFailpoint: get(settings.testFailpoint),
    },
    own: chooseOwn(get),
  }));
  const logger = createLogger(name, shared.logLevel);
  explainLastError(logger);
  const metrics = createMetrics();
  const openOwnPool = (connections: number, applicationName: string): Pool =>
    openPool({ url: shared.databaseUrl, connections, applicationName, logger });
  const pool = openOwnPool(shared.databaseConnections, `kelpie-${name}`);
  const { port: metricsPort } = await metrics.listen({ host: shared.metricsHost, port: shared.metricsPort });
  const clock = clockFor(shared.testClockFile);
  const failpoint = shared.testFailpoint === null ? noFailpoint : killAtFailpoint(shared.testFailpoint);
  return { own, mode: shared.mode, clock, failpoint, logger, metrics, metricsPort, pool, openOwnPool };
}

/** As above, with a pool for sending jobs: the connections of the other may all be held by transactions that wait for it. */
export async function beginApi<Own>(chooseOwn: ChooseSettings<Own>) {
  const { openOwnPool, ...deps } = await beginProcess('api', chooseOwn);
  return { ...deps, enginePool: openOwnPool(1, 'kelpie-api-jobs') };
}

const engineConnections = 2;

/** As above, with a pool for the job engine alone. */
export async function beginWorker<Own>(chooseOwn: ChooseSettings<Own>) {
  const { openOwnPool, ...deps } = await beginProcess('worker', chooseOwn);
  await assertServiceRole(deps.pool);
  return { ...deps, enginePool: openOwnPool(engineConnections, 'kelpie-worker-jobs') };
}

/** Stops once, in order, at the first signal; a second signal, or the deadline, ends the process at once. */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'process.stopping');
    setTimeout(() => {
      logger.error({}, 'process.stop_deadline_passed');
      process.exit(1);
    }, stopDeadlineMs).unref();
    stop().then(
      () => {
        logger.info({}, 'process.stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ error }, 'process.stop_failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
