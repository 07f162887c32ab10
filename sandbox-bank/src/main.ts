// The sandbox bank: a program of its own, which speaks the provider's wire API and does whatever a test asks of a bank.
import { setTimeout as wait } from 'node:timers/promises';
import { boundPort, composeApp } from './app.ts';
import { openClock } from './clock.ts';
import { ConfigurationError, readConfiguration, type Configuration } from './configuration.ts';
import { applySchema, openPool } from './database.ts';
import { startSettlingDeposits } from './funding/settle-deposits.ts';
import { createLog } from './log.ts';
import { startSettlement } from './settlement.ts';
import { startDelivery } from './webhooks/delivery.ts';

const configurationExitCode = 78;
/** All that lasts is in the database, so what is not finished by then is only cut off, never lost. */
const stopDeadlineMs = 4_000;

function configurationOrExit(): Configuration {
  try {
    return readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(configurationExitCode);
  }
}

const configuration = configurationOrExit();
const log = createLog(configuration.log);
const pool = openPool(configuration.databaseUrl, log);
await applySchema(pool);
const clock = await openClock(pool);
const app = composeApp({ configuration, pool, clock, log });
await app.listen({ host: '127.0.0.1', port: configuration.port });
const loops = [
  startSettlement({ ...configuration, pool, clock, log }),
  startSettlingDeposits({ ...configuration, pool, clock, log }),
  startDelivery({ pool, clock, log }),
];

async function stop(): Promise<void> {
  await Promise.all([app.close(), ...loops.map(async (loop) => loop.stop())]);
  await pool.end();
}

function stopOnce(): void {
  process.off('SIGTERM', stopOnce).off('SIGINT', stopOnce);
  log('bank.stopping');
  void Promise.race([stop(), wait(stopDeadlineMs)]).then(
    () => process.exit(0),
    (error: unknown) => {
      log('bank.failed', { reason: String(error) });
      process.exit(1);
    },
  );
}
process.on('SIGTERM', stopOnce).on('SIGINT', stopOnce);

log('bank.listening', { port: boundPort(app, configuration) });
