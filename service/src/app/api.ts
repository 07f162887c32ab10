// The api process: answers partners and the dashboard. Any number of them run side by side.
import { settings } from '../platform/settings.ts';
import { chooseBanks, openWebhookKeys } from './banks.ts';
import { composeApi } from './compose-api.ts';
import { beginProcess, stopOnSignal } from './process.ts';

const { own, mode, clock, reach, logger, metrics, metricsPort, pool } = await beginProcess('api', (get) => ({
  host: get(settings.apiHost),
  port: get(settings.apiPort),
  publicUrl: get(settings.publicUrl),
  drainDelayMs: get(settings.drainDelayMs),
  secrets: {
    apiKeyPepper: get(settings.apiKeyPepper),
    dataKeys: get(settings.dataKeys),
    indexKey: get(settings.indexKey),
  },
  commitsAtOnce: get(settings.commitsAtOnce),
  banks: chooseBanks(get),
  webhookKeys: { sandbox: get(settings.sandboxBankWebhookKey), live: get(settings.liveBankWebhookKey) },
}));

const webhookKeys = openWebhookKeys(own.webhookKeys);
const { app, drain, recorder } = await composeApi({
  ...own,
  webhookKeys,
  clock,
  reach,
  logger,
  meter: metrics.meter,
  pool,
});
stopOnSignal(logger, async () => {
  await drain.drain();
  await recorder.flush();
  await pool.end();
  await metrics.close();
});
await app.listen({ host: own.host, port: own.port, listenTextResolver: () => 'api.socket_open' });
const [bound] = app.addresses();
const port = typeof bound === 'object' ? bound.port : own.port;
logger.info({ mode, port, metrics_port: metricsPort }, 'api.listening');
