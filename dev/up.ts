// npm run dev: the whole of Kelpie on this machine. Ctrl-C ends all of it.
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startChild, type Child } from './child-process.ts';
import { eventually } from './eventually.ts';
import { clusterNames, ClusterError, startCluster, stopCluster } from './postgres/cluster.ts';
import { bankDatabases, beginAudit, prepareDatabase } from './postgres/prepare.ts';
import { createDatabase, urlFor } from './postgres/roles.ts';
import { formatLine } from './log-line.ts';
import { startMailInbox } from './mail/inbox.ts';
import { listAt, textAt } from './json.ts';
import { projectFolder } from './project.ts';
import { developmentSecrets } from './secrets.ts';
import { seedPartners } from './seed-partners.ts';

const { values: options } = parseArgs({
  options: {
    /** The first of the ports; for a second copy beside the usual one. */
    'ports-from': { type: 'string', default: '4000' },
    cluster: { type: 'string', default: 'dev' },
    /** The dashboard as it was built, if it was, by the api alone: not from its sources by a server of its own. */
    built: { type: 'boolean', default: false },
  },
});
const firstPort = Number(options['ports-from']);
const cluster = clusterNames.find((name) => name === options.cluster) ?? refuseOptions();
if (!Number.isInteger(firstPort)) refuseOptions();

function refuseOptions(): never {
  console.error(`Say: npm run dev -- [--ports-from NUMBER] [--cluster ${clusterNames.join('|')}] [--built]`);
  process.exit(2);
}

const ports = {
  api: firstPort,
  sandboxBank: firstPort + 1,
  mailPage: firstPort + 2,
  liveBank: firstPort + 3,
  dashboard: firstPort + 4,
  apiMetrics: firstPort + 10,
  workerMetrics: firstPort + 11,
  smtp: firstPort + 25,
};
const url = `http://127.0.0.1:${ports.api}`;
const bankUrl = `http://127.0.0.1:${ports.sandboxBank}`;
const liveBankUrl = `http://127.0.0.1:${ports.liveBank}`;
const mailUrl = `http://127.0.0.1:${ports.mailPage}`;
const dashboardUrl = `http://127.0.0.1:${options.built ? ports.api : ports.dashboard}/dashboard`;

interface DevelopmentBank {
  environment: keyof typeof bankDatabases;
  name: string;
  url: string;
  port: number;
  mode: string;
  apiKey: string;
}

const sandboxBank: DevelopmentBank = {
  environment: 'sandbox',
  name: 'bank',
  url: bankUrl,
  port: ports.sandboxBank,
  mode: 'sandbox',
  apiKey: 'sk-test-kelpie',
};
/** Another one stands in for the live bank: businesses are verified there, and its money is test money, too. */
const liveBank: DevelopmentBank = {
  environment: 'live',
  name: 'live',
  url: liveBankUrl,
  port: ports.liveBank,
  mode: 'live-stand-in',
  apiKey: 'sk-live-stand-in',
};

const credentials = cluster === 'dev' ? 'credentials.json' : `credentials-${cluster}.json`;
const credentialsFile = path.join(projectFolder, '.dev', credentials);
/** What `npm run kelpie-admin` finds its settings in; a second copy of the system does not take it from the first. */
const commandEnvFile = path.join(projectFolder, '.dev', cluster === 'dev' ? 'kelpie.env' : `kelpie-${cluster}.env`);

function inEnvFile(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join('');
}

/** What was started, to be ended in the opposite order. */
const endings: (() => Promise<unknown>)[] = [];
let starting: Promise<void> | undefined;
let ending: Promise<void> | undefined;

async function endAll(exitCode: number): Promise<void> {
  // What is being started now can only be ended once it stands.
  await starting?.catch(() => undefined);
  for (const stop of endings.toReversed()) await stop().catch((error: unknown) => console.error(error));
  process.exit(exitCode);
}

function end(exitCode: number): void {
  ending ??= endAll(exitCode);
}

async function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function refuseTakenPorts(): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if (!(await isTaken(port))) continue;
    throw new ClusterError(
      `Port ${port} (${name}) is taken. Is Kelpie running already? \`lsof -i :${port}\` shows by whom.`,
    );
  }
}

/** The one that ends by itself takes the others with it: half a system would only puzzle people. */
function startPart(
  name: string,
  file: string,
  { args = [], env }: { args?: readonly string[]; env: Readonly<Record<string, string>> },
): Child {
  const child = startChild({ name, file, args, env, onLine: (line) => console.log(formatLine(name, line)) });
  endings.push(async () => child.stop());
  void child.exited.then(({ code }) => {
    if (ending === undefined) console.error(`${name} ended by itself (exit code ${code}).`);
    end(1);
  });
  return child;
}

async function startBank(adminUrl: string, { environment, name, port, mode, apiKey }: DevelopmentBank): Promise<void> {
  const own = bankDatabases[environment];
  const database = cluster === 'dev' ? own : `${own}_${cluster}`;
  await createDatabase(adminUrl, database);
  const bank = startPart(name, 'sandbox-bank/src/main.ts', {
    env: {
      BANK_DATABASE_URL: urlFor(adminUrl, database, 'kelpie_owner'),
      BANK_PORT: String(port),
      BANK_MODE: mode,
      BANK_API_KEY: apiKey,
    },
  });
  await bank.waitForEvent('bank.listening');
}

async function isDashboardServed(): Promise<boolean> {
  return fetch(`${dashboardUrl}/`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The dashboard from its sources: what is changed there is on the screen at once. It hands every call on to the api. */
async function startDashboard(): Promise<void> {
  startPart('pages', 'dashboard/node_modules/vite/bin/vite.js', {
    args: ['dashboard', '--port', String(ports.dashboard), '--logLevel', 'warn'],
    env: { KELPIE_DEV_API_URL: url },
  });
  await eventually('the dashboard is served', isDashboardServed);
}

/** How api and worker reach it. */
function bankEnv({ environment, url: own, apiKey }: DevelopmentBank): Record<string, string> {
  const prefix = `KELPIE_${environment.toUpperCase()}_BANK`;
  return { [`${prefix}_URL`]: `${own}/v0`, [`${prefix}_API_KEY`]: apiKey };
}

/** Asks the bank to tell the api of what changes, once for all starts, and says by which key its webhooks are known. */
async function webhookKey({ environment, url: bank, apiKey }: DevelopmentBank): Promise<string> {
  const address = `${url}/bank-webhooks/${environment}`;
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const known: unknown = await (await fetch(`${bank}/v0/webhooks?limit=100`, { headers })).json();
  const existing = listAt(known, 'data').find((endpoint) => textAt(endpoint, 'url') === address);
  if (existing !== undefined) return textAt(existing, 'public_key').trim();
  const body = JSON.stringify({ url: address });
  const made: unknown = await (await fetch(`${bank}/v0/webhooks`, { method: 'POST', headers, body })).json();
  return textAt(made, 'public_key').trim();
}

async function startAll(): Promise<void> {
  await refuseTakenPorts();
  const { adminUrl } = await startCluster(cluster);
  endings.push(async () => stopCluster(cluster));
  const { serviceUrl, ownerUrl, readerUrl, operatorUrl } = await prepareDatabase(adminUrl, {
    database: cluster === 'dev' ? 'kelpie' : `kelpie_${cluster}`,
  });

  const inbox = await startMailInbox({ smtp: ports.smtp, page: ports.mailPage });
  endings.push(inbox.close);

  await Promise.all([startBank(adminUrl, sandboxBank), startBank(adminUrl, liveBank)]);
  const { KELPIE_AUDIT_KEY: auditKey = '', ...secrets } = await developmentSecrets();
  const shared = {
    KELPIE_MODE: 'development',
    KELPIE_DATABASE_URL: serviceUrl,
    ...secrets,
    ...bankEnv(sandboxBank),
    ...bankEnv(liveBank),
    KELPIE_SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    KELPIE_MAIL_FROM: 'Kelpie <no-reply@kelpie.example>',
    KELPIE_SUPPORT_EMAIL: 'support@kelpie.example',
    KELPIE_DASHBOARD_URL: dashboardUrl,
  };
  const api = startPart('api', 'service/src/app/api.ts', {
    env: {
      ...shared,
      KELPIE_API_PORT: String(ports.api),
      KELPIE_METRICS_PORT: String(ports.apiMetrics),
      KELPIE_PUBLIC_URL: url,
      KELPIE_INVOICE_FROM: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA; billing@kelpie.example',
      KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
      KELPIE_SANDBOX_BANK_WEBHOOK_KEY: await webhookKey(sandboxBank),
      KELPIE_LIVE_BANK_WEBHOOK_KEY: await webhookKey(liveBank),
      // Nobody stands in front of the api here, so there is nobody to wait for.
      KELPIE_DRAIN_DELAY_MS: '0',
    },
  });
  const worker = startPart('worker', 'service/src/app/worker.ts', {
    env: { ...shared, KELPIE_METRICS_PORT: String(ports.workerMetrics) },
  });
  await Promise.all([api.waitForEvent('api.listening'), worker.waitForEvent('worker.working')]);
  if (!options.built) await startDashboard();

  const operatorEnv = {
    ...shared,
    KELPIE_READER_DATABASE_URL: readerUrl,
    KELPIE_OPERATOR_DATABASE_URL: operatorUrl,
    KELPIE_AUDIT_KEY: auditKey,
    KELPIE_OPERATOR: 'development',
    KELPIE_PUBLIC_URL: url,
  };
  await writeFile(commandEnvFile, inEnvFile({ ...operatorEnv, KELPIE_LOG_LEVEL: 'warn' }), { mode: 0o600 });
  await beginAudit({ readerUrl, operatorUrl }, auditKey);
  const partners = await seedPartners({ url, readerUrl, credentialsFile, env: operatorEnv });
  const found = { url, dashboardUrl, bankUrl, liveBankUrl, mailUrl, ...partners };
  await writeFile(credentialsFile, `${JSON.stringify(found, null, 2)}\n`, { mode: 0o600 });
  console.log(`
Kelpie is up.
  Dashboard   ${dashboardUrl}/   (sign up with any address: its mail is in the inbox)
  API         ${url}
  API key     ${partners.key}   (${partners.slug}, a sandbox with 10,000.00 USDC of test money)
  Another     ${partners.keyB}   (of another partner, to see that neither sees the other's)
  Reference   ${url}/docs
  Bank        ${bankUrl}   (a sandbox bank: see what it pays, and make it fail)
  Live bank   ${liveBankUrl}   (stands in for the live one: businesses are verified there)
  Mail inbox  ${mailUrl}   (SMTP on port ${ports.smtp})
  Metrics     http://127.0.0.1:${ports.apiMetrics}/metrics (api), http://127.0.0.1:${ports.workerMetrics}/metrics (worker)
  Database    psql ${ownerUrl}
  Operators   npm run kelpie-admin -- --help
What scripts need is in .dev/${credentials}. Ctrl-C ends all of it.
`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
try {
  starting = startAll();
  await starting;
} catch (error) {
  if (ending === undefined) console.error(error instanceof ClusterError ? error.message : error);
  end(1);
}
