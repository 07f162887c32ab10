// What every Kelpie process does the same way: how it begins, how it is told to stop, and how it ends.
import { clockShiftedByFile, systemClock, type Clock } from '../../platform/clock.ts';
import {
  ConfigurationError,
  readConfiguration,
  type ChooseSettings,
} from '../../platform/configuration/configuration.ts';
import { killAtFailpoint, noFailpoint } from '../../platform/failpoint.ts';
import { createLogger, type Logger } from '../../platform/logging.ts';
import { createMetrics, type Metrics } from '../../platform/metrics.ts';
import { observeProcess } from '../../platform/process-metrics.ts';
import { build } from '../../platform/version.ts';
import { createHealth } from '../../platform/health.ts';
import { openPool, type Pace, type Pool } from '../../platform/database/pool.ts';
import { createPoolMetrics } from '../../platform/database/pool-metrics.ts';
import { assertServiceRole } from '../../platform/database/service-role.ts';
import { startWriteGate } from '../../platform/database/write-gate.ts';
import { createWriteProbe } from '../../platform/database/write-probe.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { startWakeListener } from '../../platform/wake-ups/wake-listener.ts';
import { createWakeSender } from '../../platform/wake-ups/wake-sender.ts';
import { explainLastError } from './last-error.ts';
import { chooseTracing, openTracer } from './tracing.ts';
import { untilDatabaseServes } from './until-database-serves.ts';

/**
 * Longer than a call to the bank and the commits around it, so that a process which is told to stop does not leave a payout
 * in between. What is not finished by then is finished by the next process.
 */
const finishesWithinMs = 12_000;

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

/** Until there is something to finish. Without it, the first process of a container would ignore the signal. */
function endAtOnce(): void {
  process.exit(0);
}

/** What standard output did not take is counted, since no line can say so then. */
function openLogger(name: string, level: string, { meter }: Metrics): Logger {
  const dropped = meter.createCounter('kelpie_log_lines_dropped_total', {
    description: 'Lines that were dropped because standard output was not read',
  });
  dropped.add(0);
  return createLogger(name, level, { onDropped: () => dropped.add(1) });
}

/** The parts that api and worker share, with the settings that each asks for besides. */
async function beginProcess<Own>(name: 'api' | 'worker', chooseOwn: ChooseSettings<Own>) {
  const { shared, own } = configurationOrExit((get) => ({
    shared: {
      mode: get(settings.mode),
      databaseUrl: get(settings.databaseUrl),
      databaseConnections: get(settings.databaseConnections),
      rowKeys: get(settings.rowKey),
      metricsHost: get(settings.metricsHost),
      metricsPort: get(settings.metricsPort),
      logLevel: get(settings.logLevel),
      tracing: chooseTracing(get),
      testClockFile: get(settings.testClockFile),
      testFailpoint: get(settings.testFailpoint),
    },
    own: chooseOwn(get),
  }));
  const metrics = createMetrics();
  const logger = openLogger(name, shared.logLevel, metrics);
  logger.info({ mode: shared.mode, ...build }, 'process.started');
  explainLastError(logger);
  process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
  const tracer = await openTracer({ ...shared.tracing, process: name, logger });
  const { databaseUrl: url, rowKeys } = shared;
  const probe = createWriteProbe({ url, applicationName: `kelpie-${name}-probe` });
  // A worker begins with its first confirmed write. An api serves reads before.
  const gate = startWriteGate({ probe: probe.run, logger, begins: name === 'api' ? 'open' : 'closed' });
  observeProcess(metrics.meter, { process: name, takesWrites: gate.isOpen });
  const measurePool = createPoolMetrics(metrics.meter);
  const openOwnPool = (connections: number, applicationName: string, pace: Pace = 'job'): Pool => {
    const opened = openPool({ url, connections, applicationName, logger, pace, writeGate: gate, rowKeys });
    measurePool(applicationName, opened);
    return opened;
  };
  const pool = openOwnPool(shared.databaseConnections, `kelpie-${name}`, name === 'api' ? 'request' : 'job');
  const endPools = async (...others: Pool[]): Promise<void> => {
    gate.stop();
    await Promise.all([probe.stop(), ...[pool, ...others].map(async (one) => one.end())]);
  };
  const health = createHealth({ writesConfirmedForMs: gate.confirmedForMs });
  const { port: metricsPort } = await metrics.listen({ host: shared.metricsHost, port: shared.metricsPort });
  const clock = clockFor(shared.testClockFile);
  const failpoint = shared.testFailpoint === null ? noFailpoint : killAtFailpoint(shared.testFailpoint);
  const tools = { clock, failpoint, logger, metrics, metricsPort, health, tracer };
  return { own, mode: shared.mode, ...tools, url, pool, measurePool, openOwnPool, endPools };
}

/**
 * As above, with a pool for sending jobs, since the connections of the other may all be held by transactions that wait for it,
 * and with what wakes callers that wait for a change.
 */
export async function beginApi<Own>(chooseOwn: ChooseSettings<Own>) {
  const { openOwnPool, endPools, ...deps } = await beginProcess('api', chooseOwn);
  const { logger, url } = deps;
  const enginePool = openOwnPool(1, 'kelpie-api-jobs');
  const wakes = createWakeSender(enginePool, logger);
  const wakeUps = startWakeListener({ url, applicationName: 'kelpie-api-wake-ups', logger });
  const end = async (): Promise<void> => {
    await Promise.all([wakes.stop(), wakeUps.stop()]);
    await endPools(enginePool);
  };
  return { ...deps, enginePool, wakes, wakeUps, endPools: end };
}

const engineConnections = 2;

/** As above, with a pool for the job engine alone and what wakes it, once the database takes writes. */
export async function beginWorker<Own>(chooseOwn: ChooseSettings<Own>) {
  const { openOwnPool, endPools, ...deps } = await beginProcess('worker', chooseOwn);
  const { pool, logger, url, metrics, health } = deps;
  metrics.addPage('/healthz', health.alive);
  metrics.addPage('/readyz', health.ready);
  await untilDatabaseServes(logger, async () => assertServiceRole(pool));
  await pool.writeGate.untilOpen(new AbortController().signal);
  const enginePool = openOwnPool(engineConnections, 'kelpie-worker-jobs');
  const wakes = createWakeSender(enginePool, logger);
  const wakeUps = startWakeListener({ url, applicationName: 'kelpie-worker-wake-ups', logger });
  const end = async (): Promise<void> => {
    await Promise.all([wakes.stop(), wakeUps.stop()]);
    await endPools(enginePool);
  };
  return { ...deps, enginePool, wakes, wakeUps, endPools: end };
}

/**
 * Stops once, in order, at the first signal; a second signal, or the deadline, ends the process at once. The deadline begins
 * after the time for which it goes on as before.
 */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>, goesOnMs = 0): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'process.stopping');
    setTimeout(() => {
      logger.error({}, 'process.stop_deadline_passed');
      process.exit(1);
    }, goesOnMs + finishesWithinMs).unref();
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
  process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}
