// Everything that a deployment needs around the released files: the cluster of three, a bank, a relay, and two empty hosts.
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import tls from 'node:tls';
import { registerBankWebhook } from '@kelpie/dev/bank-webhook.ts';
import { fillTemplate } from '@kelpie/dev/cluster/fill-template.ts';
import { startPatroniCluster, type PatroniCluster } from '@kelpie/dev/cluster/patroni-cluster.ts';
import { runCommand } from '@kelpie/dev/cluster/run-command.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { removeCluster, startCluster } from '@kelpie/dev/postgres/cluster.ts';
import { urlsOf } from '@kelpie/dev/postgres/prepare.ts';
import { createDatabase, ensureRoles, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { makeCertificate, startProgram, tlsInFront, untilListens } from './around.ts';
import { createHost, type Host } from './host.ts';

export interface Stage {
  cluster: PatroniCluster;
  hosts: readonly DeployedHost[];
  /** The api, as partners reach it: through HAProxy, with TLS. */
  url: string;
  /** Of one host, for commands of an operator. */
  adminEnv: Readonly<Record<string, string>>;
  readerUrl: string;
  folder: string;
  /** The released configuration of everything around the service. */
  deployFiles: string;
}

export interface DeployedHost extends Host {
  apiPort: number;
  apiMetricsPort: number;
  workerMetricsPort: number;
}

type AtEnd = (end: () => Promise<unknown>) => void;

const bankApiKey = 'sk-test-kelpie';
const newKey = (): string => randomBytes(32).toString('hex');

async function unpack(release: string, pattern: string, into: string): Promise<string> {
  const [archive] = globSync(pattern, { cwd: release });
  if (archive === undefined) throw new Error(`${release} has no ${pattern}`);
  await runCommand('tar', ['-xzf', path.join(release, archive), '-C', into]);
  return path.join(into, archive.replace(/\.tar\.gz$/, ''));
}

interface Outside {
  bankUrl: string;
  bankTlsPort: number;
  smtpTlsPort: number;
}

/** A bank and a relay, which are others' in production. The bank keeps its record on a server of its own. */
async function startOutside(folder: string, bank: string, certificate: string, atEnd: AtEnd): Promise<Outside> {
  await removeCluster('bank');
  const { adminUrl } = await startCluster('bank');
  atEnd(async () => removeCluster('bank'));
  await ensureRoles(adminUrl);
  await createDatabase(adminUrl, 'sandbox_bank');
  const [bankPort, bankTlsPort, smtp, page, smtpTlsPort] = await Promise.all([1, 2, 3, 4, 5].map(findPort));
  if (bankPort === undefined || bankTlsPort === undefined || smtp === undefined) throw new Error('no ports');
  if (page === undefined || smtpTlsPort === undefined) throw new Error('no ports');
  const env = {
    BANK_DATABASE_URL: urlFor(adminUrl, 'sandbox_bank', 'kelpie_owner'),
    BANK_PORT: String(bankPort),
    BANK_MODE: 'sandbox',
    BANK_API_KEY: bankApiKey,
    NODE_EXTRA_CA_CERTS: path.join(path.dirname(certificate), 'ca.crt'),
  };
  const program = path.join(bank, 'programs/sandbox-bank.mjs');
  const running = startProgram([process.execPath, program], path.join(folder, 'bank.log'), env);
  atEnd(async () => running.stop());
  const inbox = await startMailInbox({ smtp, page });
  atEnd(inbox.close);
  const file = path.join(folder, 'outside.cfg');
  const ports = [
    { plain: bankPort, tls: bankTlsPort },
    { plain: smtp, tls: smtpTlsPort },
  ];
  await writeFile(file, tlsInFront(ports, certificate));
  const proxy = startProgram(['haproxy', '-db', '-f', file], path.join(folder, 'outside.log'));
  atEnd(async () => proxy.stop());
  await Promise.all([bankPort, bankTlsPort, smtpTlsPort].map(untilListens));
  return { bankUrl: `http://127.0.0.1:${bankPort}`, bankTlsPort, smtpTlsPort };
}

/** On a host of the service the authority has its own place. */
function onHost(url: string): string {
  const moved = new URL(url);
  moved.searchParams.set('sslrootcert', '/etc/kelpie/ca.crt');
  return moved.href;
}

interface Settings {
  secrets: Readonly<Record<string, string>>;
  /** What stands in kelpie.env besides, and in api.env. */
  shared: Readonly<Record<string, string>>;
  ofApi: Readonly<Record<string, string>>;
}

/** The settings of an installation, as docs/runbooks/new-installation.md asks for them. */
function settingsOf(
  adminUrl: string,
  { bankTlsPort, smtpTlsPort }: Outside,
  url: string,
  webhookKey: string,
): Settings {
  const { serviceUrl, ownerUrl, readerUrl } = urlsOf(adminUrl, 'kelpie');
  return {
    secrets: {
      'database-url': onHost(serviceUrl),
      'owner-database-url': onHost(ownerUrl),
      'reader-database-url': onHost(readerUrl),
      'api-key-pepper': newKey(),
      'data-keys': `1:${newKey()}`,
      'index-key': newKey(),
      'row-key': newKey(),
      'ledger-key': newKey(),
      'audit-key': newKey(),
      'sandbox-bank-api-key': bankApiKey,
      'smtp-url': `smtps://localhost:${smtpTlsPort}`,
    },
    shared: {
      KELPIE_HEARTBEAT_ANCHOR: '/mnt/kelpie/heartbeat',
      KELPIE_MAIL_FROM: '"Kelpie <no-reply@kelpie.example>"',
      KELPIE_SUPPORT_EMAIL: 'support@kelpie.example',
      KELPIE_DASHBOARD_URL: `${url}/dashboard`,
      KELPIE_INVOICE_FROM: '"Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA; billing@kelpie.example"',
      KELPIE_INVOICE_PAY_TO: '"Kelpie Payouts Ltd; 040004; 12345678"',
      KELPIE_SANDBOX_BANK_URL: `https://localhost:${bankTlsPort}/v0`,
      // The bank and the relay of the trial have certificates of the trial's own authority.
      NODE_EXTRA_CA_CERTS: '/etc/kelpie/ca.crt',
    },
    ofApi: {
      KELPIE_PUBLIC_URL: url,
      KELPIE_TRUSTED_PROXIES: '127.0.0.1',
      KELPIE_SANDBOX_BANK_WEBHOOK_KEY: `"${webhookKey.replaceAll('\n', '\\n')}"`,
    },
  };
}

function environmentFile(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Writes what an administrator writes before the package is started. */
async function writeSettings(
  host: DeployedHost,
  { secrets, shared, ofApi }: Settings,
  authority: string,
): Promise<void> {
  await host.write('/etc/kelpie/ca.crt', authority);
  await host.run(['install', '-d', '-m', '700', '/etc/kelpie/secrets']);
  for (const [name, value] of Object.entries(secrets))
    await host.write(`/etc/kelpie/secrets/${name}`, `${value}\n`, '600');
  await host.write('/etc/kelpie/kelpie.env', environmentFile(shared));
  const api = { ...ofApi, KELPIE_API_PORT: String(host.apiPort), KELPIE_METRICS_PORT: String(host.apiMetricsPort) };
  await host.write('/etc/kelpie/api.env', environmentFile(api));
  const worker = {
    KELPIE_METRICS_PORT: String(host.workerMetricsPort),
    KELPIE_LEDGER_ANCHORS: '/mnt/kelpie/ledger-anchors',
  };
  await host.write('/etc/kelpie/worker.env', environmentFile(worker));
}

interface StageOptions {
  /** The folder of a release. */
  release: string;
  /** Has the packages that are installed. */
  packages: string;
  folder: string;
  atEnd: AtEnd;
  say: (text: string) => void;
}

/** HAProxy in front of both apis, by the released file. */
async function startProxy(
  { folder, atEnd }: StageOptions,
  values: { deployFiles: string; port: number; certificate: string; apiPorts: readonly number[]; metricsPort: number },
): Promise<void> {
  const template = await readFile(path.join(values.deployFiles, 'proxy/haproxy.cfg'), 'utf8');
  const [api1, api2] = values.apiPorts;
  const filled = fillTemplate(template, {
    PUBLIC_ADDRESS: `127.0.0.1:${values.port}`,
    PUBLIC_CERTIFICATE: values.certificate,
    API1_ADDRESS: `127.0.0.1:${api1}`,
    API2_ADDRESS: `127.0.0.1:${api2}`,
    PUBLIC_METRICS_ADDRESS: `127.0.0.1:${values.metricsPort}`,
  });
  const file = path.join(folder, 'proxy.cfg');
  await writeFile(file, filled);
  const proxy = startProgram(['haproxy', '-db', '-f', file], path.join(folder, 'proxy.log'));
  atEnd(async () => proxy.stop());
  await untilListens(values.port);
}

/** Up to the point where the package is installed on each host, with its settings, and nothing of Kelpie runs yet. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { release, packages, folder, atEnd, say } = options;
  const deployFiles = await unpack(release, 'kelpie-deploy-*.tar.gz', folder);
  const bank = await unpack(release, 'kelpie-sandbox-bank-*.tar.gz', folder);
  say('Starting the cluster of three from the released files');
  const cluster = await startPatroniCluster({ templates: path.join(deployFiles, 'cluster'), atEnd });
  await ensureRoles(cluster.adminUrl);
  await createDatabase(cluster.adminUrl, 'kelpie');
  const certificates = path.join(cluster.folder, 'certificates');
  const certificate = await makeCertificate(path.join(deployFiles, 'cluster/certificates.sh'), certificates, 'outside');
  const authority = await readFile(path.join(certificates, 'ca.crt'), 'utf8');
  // What the trial itself asks, it asks as a partner would: with TLS that is verified.
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), authority]);
  const outside = await startOutside(folder, bank, certificate, atEnd);
  const port = await findPort();
  const url = `https://localhost:${port}`;
  const address = `${url}/bank-webhooks/sandbox`;
  const webhookKey = await registerBankWebhook({ bankUrl: outside.bankUrl, apiKey: bankApiKey, address });
  const settings = settingsOf(cluster.adminUrl, outside, url, webhookKey);
  const shared = path.join(folder, 'shared');
  await mkdir(shared);
  const hosts: DeployedHost[] = [];
  for (const name of ['host1', 'host2']) {
    const host = {
      ...(await createHost(name, path.join(folder, name), { shared, packages })),
      apiPort: await findPort(),
      apiMetricsPort: await findPort(),
      workerMetricsPort: await findPort(),
    };
    atEnd(async () => host.remove());
    await writeSettings(host, settings, authority);
    hosts.push(host);
  }
  const apiPorts = hosts.map(({ apiPort }) => apiPort);
  await startProxy(options, { deployFiles, port, certificate, apiPorts, metricsPort: await findPort() });
  const { operatorUrl, readerUrl } = urlsOf(cluster.adminUrl, 'kelpie');
  const adminEnv = {
    HOME: '/root',
    KELPIE_DATABASE_URL: settings.secrets['database-url'] ?? '',
    KELPIE_READER_DATABASE_URL: onHost(readerUrl),
    KELPIE_OPERATOR_DATABASE_URL: onHost(operatorUrl),
    KELPIE_AUDIT_KEY: settings.secrets['audit-key'] ?? '',
    KELPIE_API_KEY_PEPPER: settings.secrets['api-key-pepper'] ?? '',
    KELPIE_INDEX_KEY: settings.secrets['index-key'] ?? '',
    KELPIE_ROW_KEY: settings.secrets['row-key'] ?? '',
    KELPIE_DATA_KEYS: settings.secrets['data-keys'] ?? '',
    KELPIE_LOG_LEVEL: 'warn',
  };
  return { cluster, hosts, url, adminEnv, readerUrl, folder, deployFiles };
}
