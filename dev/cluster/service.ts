// The service on a cluster: two apis, two workers, and a sandbox bank whose record is on a server of its own.
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { registerBankWebhook } from '../bank-webhook.ts';
import { startChild, type Child } from '../child-process.ts';
import { findPort } from '../free-port.ts';
import { startMailInbox } from '../mail/inbox.ts';
import { removeCluster, startCluster } from '../postgres/cluster.ts';
import { bankDatabases, beginAudit, prepareDatabase, type DatabaseUrls } from '../postgres/prepare.ts';
import { createDatabase, ensureRoles, urlFor } from '../postgres/roles.ts';
import { developmentSecrets } from '../secrets.ts';
import { seedPartners, type Seeded } from '../seed-partners.ts';

interface ServiceOptions {
  /** The leader, through HAProxy. */
  adminUrl: string;
  /** Has the logs of each process. */
  folder: string;
  atEnd: (end: () => Promise<unknown>) => void;
  say: (text: string) => void;
}

export interface Service extends Pick<Seeded, 'key'> {
  apiUrls: string[];
  bankUrl: string;
  mailUrl: string;
  readerUrl: string;
}

interface Part {
  name: string;
  file: string;
  env: Readonly<Record<string, string>>;
  /** The event that says it works. */
  ready: string;
}

const pauseBeforeRestartMs = 1_000;

/** Starts a process, and again whenever it ends, as a process manager does in production. */
async function keepRunning({ name, file, env, ready }: Part, { folder, atEnd, say }: ServiceOptions): Promise<void> {
  const log = createWriteStream(path.join(folder, `${name}.log`));
  let isEnding = false;
  const start = (): Child => {
    const child = startChild({ name, file, env, onLine: (line) => log.write(`${line}\n`) });
    void child.exited.then(async ({ code }) => {
      if (isEnding) return;
      say(`${name} ended (exit code ${code}). Starting it again.`);
      await wait(pauseBeforeRestartMs);
      if (!isEnding) running = start();
    });
    return child;
  };
  let running = start();
  atEnd(async () => {
    isEnding = true;
    await running.stop();
    log.end();
  });
  await running.waitForEvent(ready);
}

const bankApiKey = 'sk-test-kelpie';

/** The bank judges what was truly paid, so none of its data is on the cluster that is being broken. */
async function startBank(options: ServiceOptions): Promise<string> {
  // Left by one that was killed.
  await removeCluster('bank');
  const { adminUrl } = await startCluster('bank');
  options.atEnd(async () => removeCluster('bank'));
  await ensureRoles(adminUrl);
  await createDatabase(adminUrl, bankDatabases.sandbox);
  const port = await findPort();
  const env = {
    BANK_DATABASE_URL: urlFor(adminUrl, bankDatabases.sandbox, 'kelpie_owner'),
    BANK_PORT: String(port),
    BANK_MODE: 'sandbox',
    BANK_API_KEY: bankApiKey,
  };
  await keepRunning({ name: 'bank', file: 'sandbox-bank/src/main.ts', env, ready: 'bank.listening' }, options);
  return `http://127.0.0.1:${port}`;
}

async function sharedEnv(
  { folder }: ServiceOptions,
  { database, bankUrl, smtpPort }: { database: DatabaseUrls; bankUrl: string; smtpPort: number },
): Promise<Record<string, string>> {
  const { KELPIE_AUDIT_KEY: _, ...secrets } = await developmentSecrets();
  return {
    KELPIE_MODE: 'development',
    KELPIE_DATABASE_URL: database.serviceUrl,
    ...secrets,
    KELPIE_SANDBOX_BANK_URL: `${bankUrl}/v0`,
    KELPIE_SANDBOX_BANK_API_KEY: bankApiKey,
    KELPIE_SANDBOX_BANK_CONTROL_URL: `${bankUrl}/control`,
    KELPIE_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    KELPIE_MAIL_FROM: 'Kelpie <no-reply@kelpie.example>',
    KELPIE_HEARTBEAT_ANCHOR: path.join(folder, 'heartbeat'),
    KELPIE_EGRESS_ALLOW: '127.0.0.0/8',
    KELPIE_DRAIN_DELAY_MS: '0',
    KELPIE_METRICS_PORT: '0',
  };
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const database = await prepareDatabase(options.adminUrl);
  const bankUrl = await startBank(options);
  const inbox = await startMailInbox({ smtp: await findPort(), page: await findPort() });
  options.atEnd(inbox.close);
  const shared = await sharedEnv(options, { database, bankUrl, smtpPort: inbox.smtpPort });
  const apiPorts = [await findPort(), await findPort()];
  const apiUrls = apiPorts.map((port) => `http://127.0.0.1:${port}`);
  const [url = ''] = apiUrls;
  // The bank knows one address. In production it is a load balancer's.
  const address = `${url}/bank-webhooks/sandbox`;
  const webhookKey = await registerBankWebhook({ bankUrl, apiKey: bankApiKey, address });
  const apiEnv = { ...shared, KELPIE_PUBLIC_URL: url, KELPIE_SANDBOX_BANK_WEBHOOK_KEY: webhookKey };
  const apis = apiPorts.map((port, at) => ({
    name: `api${at + 1}`,
    file: 'service/src/app/api.ts',
    env: { ...apiEnv, KELPIE_API_PORT: String(port) },
    ready: 'api.listening',
  }));
  const workers = ['worker1', 'worker2'].map((name) => ({
    name,
    file: 'service/src/app/worker.ts',
    env: shared,
    ready: 'worker.working',
  }));
  await Promise.all([...apis, ...workers].map(async (part) => keepRunning(part, options)));
  const { readerUrl, operatorUrl } = database;
  const { KELPIE_AUDIT_KEY: auditKey = '' } = await developmentSecrets();
  await beginAudit(database, auditKey);
  const env = {
    ...shared,
    KELPIE_READER_DATABASE_URL: readerUrl,
    KELPIE_OPERATOR_DATABASE_URL: operatorUrl,
    KELPIE_AUDIT_KEY: auditKey,
    KELPIE_PUBLIC_URL: url,
  };
  const credentialsFile = path.join(options.folder, 'credentials.json');
  const { key } = await seedPartners({ url, origin: url, inbox, readerUrl, credentialsFile, env });
  return { key, apiUrls, bankUrl, mailUrl: `http://127.0.0.1:${inbox.pagePort}`, readerUrl };
}
