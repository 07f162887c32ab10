// A whole Kelpie in live under light traffic, with a Prometheus and an Alertmanager that watch it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Child } from '@kelpie/dev/child-process.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { alertmanagerConfig, prometheusConfig, ruleFiles } from '@kelpie/dev/monitoring/files.ts';
import { startAlertmanager, startPrometheus } from '@kelpie/dev/monitoring/servers.ts';
import { startOwnServer, type OwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { testCertificate } from '@kelpie/dev/test-certificate.ts';
import { startTcpProxy, type TcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { openRounds } from '../funding/topping-up.ts';
import { call, payoutBody, type Client } from '../harness/client.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startSteadyPayouts, type SteadyPayouts } from '../rolling/steady-payouts.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { startAlertReceiver, type AlertReceiver } from './alert-receiver.ts';
import { scaleRoutes, scaleRules } from './scale-rules.ts';

type AtEnd = (end: () => Promise<unknown>) => void;

export interface TrialStage {
  server: OwnServer;
  world: World;
  /** Between us and the bank, and between us and the relay. */
  bankProxy: TcpProxy;
  relayProxy: TcpProxy;
  prometheusUrl: string;
  alertmanagerUrl: string;
  alerts: AlertReceiver;
  payouts: SteadyPayouts;
  /** As a superuser. */
  query: (sql: string) => Promise<unknown[]>;
  /** Runs a scheduled job now. */
  round: (queue: string) => Promise<void>;
  startApi: () => Promise<void>;
  killApi: () => Promise<void>;
  startWorkers: () => Promise<void>;
  killWorkers: () => Promise<void>;
}

interface StageOptions {
  atEnd: AtEnd;
  factor: number;
  payoutsPerSecond: number;
}

const partners = 6;

async function startDatabase(atEnd: AtEnd) {
  const server = await startOwnServer();
  atEnd(async () => server.remove());
  const urls = await prepareDatabase(server.adminUrl);
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  return { server, database: { ...urls, superuserUrl: urlFor(server.adminUrl, 'kelpie') } };
}

/** What a system has that ran yesterday. */
const yesterday = `
  insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at, finished_at, state)
  values (gen_random_uuid(), 'test', now(), now(), now(), 'clean');
  insert into kelpie.ledger_verifications (id, began_at, ended_at, entries, differences)
  values (gen_random_uuid(), now(), now(), 0, 0);`;

async function startMonitoring(
  { atEnd, factor }: StageOptions,
  folder: string,
  targets: { api: string; workers: readonly string[] },
) {
  const alerts = await startAlertReceiver();
  atEnd(async () => alerts.close());
  const receivers = {
    pages: `${alerts.url}/pages`,
    tickets: `${alerts.url}/tickets`,
    heartbeat: `${alerts.url}/heartbeat`,
  };
  const alertmanager = await startAlertmanager({
    folder: path.join(folder, 'alertmanager'),
    config: scaleRoutes(alertmanagerConfig(receivers), factor),
    atEnd,
  });
  const rules = path.join(folder, 'rules');
  mkdirSync(rules);
  for (const file of ruleFiles)
    writeFileSync(path.join(rules, path.basename(file)), scaleRules(readFileSync(file, 'utf8'), factor));
  const port = await findPort();
  const alertmanagerAddress = new URL(alertmanager.url).host;
  const config = prometheusConfig(
    {
      api: [targets.api],
      worker: targets.workers,
      patroni: [],
      haproxy: [],
      prometheus: [`127.0.0.1:${port}`],
      alertmanager: [alertmanagerAddress],
    },
    rules,
  );
  const everySecond = config.replaceAll(/(scrape_interval|scrape_timeout|evaluation_interval): \d+s/g, '$1: 1s');
  const prometheus = await startPrometheus({
    folder: path.join(folder, 'prometheus'),
    config: everySecond,
    atEnd,
    port,
  });
  return { alerts, alertmanagerUrl: alertmanager.url, prometheusUrl: prometheus.url };
}

async function startKelpie(atEnd: AtEnd, folder: string) {
  const { server, database } = await startDatabase(atEnd);
  const authority = path.join(folder, 'authority.pem');
  writeFileSync(authority, testCertificate.cert);
  await asAdmin(database.superuserUrl, async (admin) => admin.query(yesterday));
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  atEnd(async () => inbox.close());
  const relayProxy = await startTcpProxy({ host: '127.0.0.1', port: inbox.smtpPort });
  atEnd(async () => relayProxy.close());
  const proxies: TcpProxy[] = [];
  const world = await startWorld({
    database,
    environment: 'live',
    settleAfterMs: 500,
    withoutWorker: true,
    atEnd,
    async bankUrlFor({ wireUrl }) {
      const url = new URL(wireUrl);
      const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
      atEnd(async () => proxy.close());
      proxies.push(proxy);
      url.port = String(proxy.port);
      return url.href.replace(/\/$/, '');
    },
    env: {
      KELPIE_READER_DATABASE_URL: database.readerUrl,
      KELPIE_HEARTBEAT_ANCHOR: path.join(folder, 'heartbeat'),
      KELPIE_LEDGER_KEY: 'e5'.repeat(32),
      KELPIE_LEDGER_ANCHORS: path.join(folder, 'days'),
      KELPIE_SMTP_URL: `smtp://127.0.0.1:${relayProxy.port}`,
      NODE_EXTRA_CA_CERTS: authority,
    },
  });
  const [bankProxy] = proxies;
  if (bankProxy === undefined) throw new Error('no proxy to the bank');
  return { server, database, world, bankProxy, relayProxy };
}

async function addWebhook(client: Client, atEnd: AtEnd): Promise<void> {
  const receiver = await startReceiver({ atEnd, certificate: testCertificate });
  const { id, json, text } = await call(client, '/v1/webhooks', { method: 'POST', body: { url: receiver.url } });
  if (id === '') throw new Error(text);
  receiver.trust(textAt(json, 'secret'));
}

async function kill(children: readonly Child[]): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(async (child) => child.exited));
}

export async function startTrialStage(options: StageOptions): Promise<TrialStage> {
  const { atEnd } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-alerts-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const { server, database, world, bankProxy, relayProxy } = await startKelpie(atEnd, folder);
  const ports = { api: await findPort(), workers: [await findPort(), await findPort()] };
  let workers: Child[] = [];
  const startApi = async (): Promise<void> => {
    await world.restartApi({ KELPIE_METRICS_PORT: String(ports.api) });
  };
  const startWorkers = async (): Promise<void> => {
    workers = await Promise.all(
      ports.workers.map(async (port) => world.addWorker({ KELPIE_METRICS_PORT: String(port) })),
    );
  };
  await Promise.all([startApi(), startWorkers()]);
  const others = await Promise.all(Array.from({ length: partners - 1 }, async () => world.addPartner()));
  const clients = [world.partner, ...others].map(({ key }): Client => ({ url: world.api.url, key }));
  const [first] = clients;
  if (first === undefined) throw new Error('no partner');
  await addWebhook(first, atEnd);
  // The minimum of live.
  const payouts = startSteadyPayouts(clients, options.payoutsPerSecond, payoutBody({ amount_gbp: '3.00' }));
  atEnd(async () => payouts.stop());
  const watched = await startMonitoring(options, folder, {
    api: `127.0.0.1:${ports.api}`,
    workers: ports.workers.map((port) => `127.0.0.1:${port}`),
  });
  return {
    server,
    world,
    bankProxy,
    relayProxy,
    ...watched,
    payouts,
    query: async (sql) => asAdmin(database.superuserUrl, async (admin) => (await admin.query<object>(sql)).rows),
    round: await openRounds(database, atEnd),
    startApi,
    killApi: async () => kill([world.api]),
    startWorkers,
    killWorkers: async () => kill(workers),
  };
}
