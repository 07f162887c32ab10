// The wiring of the bank, in plain sight: which routes it has, and what each is given.
import type { FastifyInstance } from 'fastify';
import type { BankClock } from './clock.ts';
import type { Configuration } from './configuration.ts';
import { clockRoutes } from './control/clock.ts';
import { depositControlRoutes } from './control/deposits.ts';
import { accountControlRoutes } from './control/external-accounts.ts';
import { faultRoutes } from './control/faults.ts';
import { kycLinkControlRoutes } from './control/kyc-links.ts';
import { plantingRoutes } from './control/planting.ts';
import { recordRoutes } from './control/record.ts';
import { requestRoutes } from './control/requests.ts';
import { serveControlRoutes } from './control/serve.ts';
import { transferControlRoutes } from './control/transfers.ts';
import { webhookControlRoutes } from './control/webhooks.ts';
import type { Pool } from './database.ts';
import { createFaults } from './faults.ts';
import { createServer } from './http/server.ts';
import type { Log } from './log.ts';
import { servePage } from './page/routes.ts';
import { createRequestCounts } from './request-counts.ts';
import { serveFundingForms } from './page/funding-routes.ts';
import { serveVerificationPages } from './page/verification-routes.ts';
import { customerRoutes } from './wire/customers.ts';
import { exchangeRateRoutes } from './wire/exchange-rates.ts';
import { externalAccountRoutes } from './wire/external-accounts.ts';
import { fundsRequestRoutes } from './wire/funds-requests.ts';
import { kycLinkRoutes } from './wire/kyc-links.ts';
import { liquidationAddressRoutes } from './wire/liquidation-addresses.ts';
import { serveWireRoutes } from './wire/serve.ts';
import { transferRoutes } from './wire/transfers.ts';
import { virtualAccountRoutes } from './wire/virtual-accounts.ts';
import { walletRoutes } from './wire/wallets.ts';
import { webhookRoutes } from './wire/webhooks.ts';

interface AppDeps {
  configuration: Configuration;
  pool: Pool;
  clock: BankClock;
  log: Log;
}

/** The port that it listens on, once it does: it may have been told to take any. */
export function boundPort(app: FastifyInstance, { port }: Configuration): number {
  const [bound] = app.addresses();
  return typeof bound === 'object' ? bound.port : port;
}

export function composeApp({ configuration, pool, clock, log }: AppDeps): FastifyInstance {
  const { apiKey, mode, settleAfterMs } = configuration;
  const faults = createFaults();
  const counts = createRequestCounts();
  const app = createServer(log);
  app.get('/healthz', async () => ({ status: 'ok' }));
  void app.register(
    async (wire) =>
      serveWireRoutes(wire, { pool, clock, faults, counts, apiKey }, [
        ...customerRoutes,
        ...walletRoutes(mode),
        ...virtualAccountRoutes,
        ...liquidationAddressRoutes,
        ...externalAccountRoutes(mode),
        ...fundsRequestRoutes,
        ...transferRoutes(configuration),
        ...exchangeRateRoutes,
        ...webhookRoutes,
        ...kycLinkRoutes(() => `http://127.0.0.1:${boundPort(app, configuration)}`),
      ]),
    { prefix: '/v0' },
  );
  void app.register(
    async (control) =>
      serveControlRoutes(control, { pool, clock }, [
        ...faultRoutes(faults),
        ...recordRoutes,
        ...requestRoutes(counts),
        ...transferControlRoutes(settleAfterMs),
        ...webhookControlRoutes,
        ...clockRoutes(clock),
        ...accountControlRoutes,
        ...kycLinkControlRoutes,
        ...depositControlRoutes(settleAfterMs),
        ...plantingRoutes(settleAfterMs),
      ]),
    { prefix: '/control' },
  );
  void app.register(async (page) => servePage(page, { pool, clock, faults, configuration }));
  void app.register(async (page) => serveFundingForms(page, { pool, clock, settleAfterMs }));
  void app.register(async (page) => serveVerificationPages(page, { pool, clock }));
  return app;
}
