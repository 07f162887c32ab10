// npm run dev: all of Kelpie on this machine. Ctrl-C stops it.
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { registerBankWebhook } from './bank-webhook.ts';
import { startChild, type Child } from './child-process.ts';
import { eventually } from './eventually.ts';
import { clusterNames, ClusterError, heartbeatFile, startCluster, stopCluster } from './postgres/cluster.ts';
import { bankDatabases, beginAudit, prepareDatabase } from './postgres/prepare.ts';
import { createDatabase, urlFor } from './postgres/roles.ts';
import { formatLine } from './log-line.ts';
import { startMailInbox } from './mail/inbox.ts';
import { projectFolder } from './project.ts';
import { developmentSecrets } from './secrets.ts';
import { seedPartners } from './seed-partners.ts';
import { claimStack, type StackClaim } from './stack-claim.ts';

const { values: options } = parseArgs({
  options: {
    /** The first port, for a second copy beside the usual one. */
    'ports-from': { type: 'string', default: '4000' },
    cluster: { type: 'string', default: 'dev' },
    /** The api serves the built dashboard; otherwise Vite serves it from source. */
    built: { type: 'boolean', default: false },
  },
});
const firstPort = Number(options['ports-from']);
const cluster = clusterNames.find((name) => name === options.cluster) ?? refuseOptions();
if (!Number.isInteger(firstPort)) refuseOptions();

function refuseOptions(): never {
  console.error(`Usage: npm run dev -- [--ports-from PORT] [--cluster ${clusterNames.join('|')}] [--built]`);
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
/** A second sandbox bank stands in for the live bank. Its money is test money too. */
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
/** Settings for `npm run kelpie-admin`. A second copy has its own. */
const commandEnvFile = path.join(projectFolder, '.dev', cluster === 'dev' ? 'kelpie.env' : `kelpie-${cluster}.env`);
/** The same as a second person, who approves what the first proposes (`npm run kelpie-admin:second`). */
const secondEnvFile = commandEnvFile.replace(/\.env$/, '-second.env');

/** Held while this runs. See stack-claim.ts. */
const claimFile = path.join(projectFolder, '.dev', `up-${cluster}.claim`);
const ifRunning = `Stop it, or start a second copy: npm run dev -- --ports-from ${firstPort + 1_000} --cluster second`;

function inEnvFile(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join('');
}

/** Stops what was started, in reverse order. */
const endings: (() => Promise<unknown>)[] = [];
let starting: Promise<void> | undefined;
let ending: Promise<void> | undefined;
let claim: StackClaim | undefined;

async function endAll(exitCode: number): Promise<void> {
  await claim?.markStopping();
  // A part that is still starting can be stopped only once it runs.
  await starting?.catch(() => undefined);
  for (const stop of endings.toReversed()) await stop().catch((error: unknown) => console.error(error));
  await claim?.release();
  process.exit(exitCode);
}

function throwIfEnding(): void {
  if (ending !== undefined) throw new ClusterError('Stopped.');
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
      `Port ${port} (${name}) is in use. Find the program with \`lsof -i :${port}\`, or choose other ports: npm run dev -- --ports-from ${firstPort + 1_000}`,
    );
  }
}

/** If one part ends, all are stopped: half a system would only confuse people. */
function startPart(
  name: string,
  file: string,
  { args = [], env }: { args?: readonly string[]; env: Readonly<Record<string, string>> },
): Child {
  const child = startChild({ name, file, args, env, onLine: (line) => console.log(formatLine(name, line)) });
  endings.push(async () => child.stop());
  void child.exited.then(({ code }) => {
    if (ending === undefined) console.error(`${name} stopped unexpectedly (exit code ${code}). Stopping the rest.`);
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

/** Within a second or two, so that the api serves the pages as they are now. */
async function buildDocs(): Promise<void> {
  const build = startChild({ name: 'docs', file: 'docs-site/src/build.ts', args: [], env: {} });
  const { code } = await build.exited;
  if (code !== 0) throw new ClusterError(`The docs can't be built:\n${build.output()}`);
}

/** Vite serves the dashboard from source, and forwards API calls to the api. */
async function startDashboard(): Promise<void> {
  startPart('pages', 'dashboard/node_modules/vite/bin/vite.js', {
    args: ['dashboard', '--port', String(ports.dashboard), '--logLevel', 'warn'],
    env: { KELPIE_DEV_API_URL: url },
  });
  await eventually('the dashboard is served', isDashboardServed);
}

function bankEnv({ environment, url: own, apiKey }: DevelopmentBank): Record<string, string> {
  const prefix = `KELPIE_${environment.toUpperCase()}_BANK`;
  const controls = environment === 'sandbox' ? { [`${prefix}_CONTROL_URL`]: `${own}/control` } : {};
  return { [`${prefix}_URL`]: `${own}/v0`, [`${prefix}_API_KEY`]: apiKey, ...controls };
}

/** Registers the api's webhook endpoint at the bank, and returns the key that verifies it. */
async function webhookKey({ environment, url: bankAt, apiKey }: DevelopmentBank): Promise<string> {
  return registerBankWebhook({ bankUrl: bankAt, apiKey, address: `${url}/bank-webhooks/${environment}` });
}

async function startAll(): Promise<void> {
  claim = await claimStack({ file: claimFile, command: 'npm run dev', ifRunning, throwIfEnding });
  await refuseTakenPorts();
  const { adminUrl } = await startCluster(cluster);
  endings.push(async () => stopCluster(cluster));
  const { serviceUrl, ownerUrl, readerUrl, operatorUrl, secondOperatorUrl } = await prepareDatabase(adminUrl, {
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
    KELPIE_INVOICE_FROM: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA; billing@kelpie.example',
    KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
    KELPIE_DASHBOARD_URL: dashboardUrl,
    KELPIE_HEARTBEAT_ANCHOR: heartbeatFile(cluster) ?? 'none',
    KELPIE_EGRESS_ALLOW: '127.0.0.0/8',
  };
  await buildDocs();
  const api = startPart('api', 'service/src/app/api.ts', {
    env: {
      ...shared,
      KELPIE_API_PORT: String(ports.api),
      KELPIE_METRICS_PORT: String(ports.apiMetrics),
      KELPIE_PUBLIC_URL: url,
      KELPIE_SANDBOX_BANK_WEBHOOK_KEY: await webhookKey(sandboxBank),
      KELPIE_LIVE_BANK_WEBHOOK_KEY: await webhookKey(liveBank),
      // There is no load balancer to wait for.
      KELPIE_DRAIN_DELAY_MS: '0',
      // Partners of a development stack are not verified, and its emails reach nobody.
      KELPIE_SIGN_UPS_PER_HOUR: '100000',
      KELPIE_UNVERIFIED_INVITATIONS_PER_DAY: '1000',
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
    KELPIE_PUBLIC_URL: url,
  };
  const commandEnv = { ...operatorEnv, KELPIE_LOG_LEVEL: 'warn' };
  const secondEnv = { ...commandEnv, KELPIE_OPERATOR_DATABASE_URL: secondOperatorUrl };
  await writeFile(commandEnvFile, inEnvFile(commandEnv), { mode: 0o600 });
  await writeFile(secondEnvFile, inEnvFile(secondEnv), { mode: 0o600 });
  await beginAudit({ readerUrl, operatorUrl }, auditKey);
  const { origin } = new URL(dashboardUrl);
  const partners = await seedPartners({ url, origin, inbox, readerUrl, credentialsFile, env: operatorEnv });
  const found = { url, dashboardUrl, bankUrl, liveBankUrl, mailUrl, ...partners };
  await writeFile(credentialsFile, `${JSON.stringify(found, null, 2)}\n`, { mode: 0o600 });
  console.log(`
Kelpie is up.
  Dashboard   ${dashboardUrl}/
  Sign in     ${partners.adminEmail} (admin) or ${partners.viewerEmail} (viewer)
  Email       ${mailUrl}   (sign-in codes arrive here; SMTP on port ${ports.smtp})
  API         ${url}
  API key     ${partners.key}   (${partners.slug}: a sandbox with 10,000.00 USDC of test money)
  Second key  ${partners.keyB}   (of another partner)
  Docs        ${url}/docs   (API reference: ${url}/docs/reference)
  Bank        ${bankUrl}   (sandbox bank: see its transfers, and make it fail)
  Live bank   ${liveBankUrl}   (stands in for the live bank: verify businesses here)
  Metrics     http://127.0.0.1:${ports.apiMetrics}/metrics (api), http://127.0.0.1:${ports.workerMetrics}/metrics (worker)
  Database    psql ${ownerUrl}
  Operators   npm run kelpie-admin -- --help   (as a second person: npm run kelpie-admin:second)
Addresses and keys for scripts are in .dev/${credentials}. Ctrl-C stops everything.
`);
}

/** A killed npm or shell can't forward a signal, so we also stop when our parent is gone. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(1), 500).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
if (process.env['npm_lifecycle_event'] !== undefined) endWithParent();
// Nobody reads our output any more, for example `npm run dev | head`.
process.stdout.on('error', () => end(1));
try {
  starting = startAll();
  await starting;
} catch (error) {
  if (ending === undefined) console.error(error instanceof ClusterError ? error.message : error);
  end(1);
}
