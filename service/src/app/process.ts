// What every Kelpie process does the same way: how it begins, how it is told to stop, and how it ends.
import { clockShiftedByFile, systemClock, type Clock } from '../platform/clock.ts';
import { ConfigurationError, readConfiguration, type ChooseSettings } from '../platform/configuration.ts';
import { createLogger, describeError, type Logger } from '../platform/logging.ts';
import { createMetrics } from '../platform/metrics.ts';
import { openPool, type Pool } from '../platform/database/pool.ts';
import { assertServiceRole } from '../platform/database/service-role.ts';
import { settings } from '../platform/settings.ts';

/** From the signal to the end. What is not finished by then is finished by the next process. */
const stopDeadlineMs = 10_000;
const configurationExitCode = 78;

/** Reads the settings, or ends the process with sentences that say what is wrong. */
export function configurationOrExit<Configuration>(choose: ChooseSettings<Configuration>): Configuration {
  try {
    return readConfiguration(process.env, choose);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(configurationExitCode);
  }
}

export function clockFor(testClockFile: string | null): Clock {
  return testClockFile === null ? systemClock : clockShiftedByFile(testClockFile);
}

/** The parts that api and worker share, with the settings that each asks for besides. */
export async function beginProcess<Own>(name: 'api' | 'worker', chooseOwn: ChooseSettings<Own>) {
  const { shared, own } = configurationOrExit((get) => ({
    shared: {
      mode: get(settings.mode),
      databaseUrl: get(settings.databaseUrl),
      databaseConnections: get(settings.databaseConnections),
      metricsHost: get(settings.metricsHost),
      metricsPort: get(settings.metricsPort),
      logLevel: get(settings.logLevel),
      testClockFile: get(settings.testClockFile),
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
  return { own, mode: shared.mode, clock, logger, metrics, metricsPort, pool, openOwnPool };
}

const engineConnections = 2;

/** As above, with a pool for the job engine alone. */
export async function beginWorker() {
  const { openOwnPool, ...parts } = await beginProcess('worker', () => ({}));
  await assertServiceRole(parts.pool);
  return { ...parts, enginePool: openOwnPool(engineConnections, 'kelpie-worker-jobs') };
}

/** What nobody caught: a line in the log's own form, and a sentence for the person who started the process. */
export function explainLastError(logger: Logger): void {
  const end = (error: unknown): void => {
    const { name, code } = describeError(error);
    logger.fatal({ error }, 'process.failed');
    process.stderr.write(
      `Kelpie stopped because of ${[name, code].filter((part) => part !== undefined).join(' ')}. ${hintFor(code)}\n`,
    );
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

function hintFor(code: string | undefined): string {
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ETIMEDOUT':
      return 'The database, or an address to listen on, can not be reached: check the settings that name one.';
    case '28P01':
    case '28000':
    case '3D000':
      return 'The database does not let this role in: check its address, role and password.';
    case 'EADDRINUSE':
    case 'EADDRNOTAVAIL':
      return 'The address to listen on is taken, or is not of this machine: check the host and port settings.';
    case undefined:
    default:
      return 'The log line says where in the code.';
  }
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
