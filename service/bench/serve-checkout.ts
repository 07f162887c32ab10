// Prepares a database by the code of one checkout and serves it by that checkout's api. It takes its orders from the process
// that forked it, and ends together with it.
import { urlFor } from '@kelpie/dev/postgres/roles.ts';
import { settleDatabase } from './bench-server.ts';
import { loadCheckoutModules, type CheckoutModules, type PreparedUrls } from './checkout-modules.ts';
import type { MeasuredApi } from './measured-api.ts';
import { isCheckoutOrder, type CheckoutAnswer, type CheckoutOrder } from './served-checkout.ts';

interface Serving {
  modules: CheckoutModules;
  urls: PreparedUrls;
  secrets: readonly string[];
  env: Readonly<Record<string, string>>;
  api: MeasuredApi;
}

let serving: Serving | undefined;

async function serve(order: CheckoutOrder & { kind: 'serve' }): Promise<Serving> {
  const modules = await loadCheckoutModules(order.folder);
  const urls = await modules.prepareDatabase(order.adminUrl, { database: order.database, anew: true });
  const superuserUrl = urlFor(order.adminUrl, order.database);
  const secrets = await modules.createPartners({ ...urls, superuserUrl }, order.partners);
  await settleDatabase(superuserUrl);
  const { env } = order;
  return { modules, urls, secrets, env, api: await modules.startApi(urls.serviceUrl, { env }) };
}

async function restart(): Promise<Serving> {
  if (serving === undefined) throw new Error('there is no api to restart');
  await serving.api.stop();
  const { modules, urls, env } = serving;
  return { ...serving, api: await modules.startApi(urls.serviceUrl, { env }) };
}

async function obey(order: CheckoutOrder): Promise<void> {
  serving = order.kind === 'serve' ? await serve(order) : await restart();
  const { api, secrets } = serving;
  const answer: CheckoutAnswer = { port: api.port, pid: api.pid, secrets };
  process.send?.(answer);
}

process.on('message', (message) => {
  // A failure has to end this process: the one that waits for an answer learns of it by that.
  if (isCheckoutOrder(message)) void obey(message);
});
process.on('disconnect', () => {
  void (serving?.api.stop() ?? Promise.resolve()).finally(() => process.exit());
});
