import { globSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../cluster/run-command.ts';
import { eventually } from '../eventually.ts';
import { findPort } from '../free-port.ts';
import { textAt } from '../json.ts';
import { startOwnServer } from '../postgres/own-server.ts';
import { urlsOf } from '../postgres/prepare.ts';
import { asAdmin, createDatabase, ensureRoles, urlFor } from '../postgres/roles.ts';
import { projectFolder } from '../project.ts';
import { developmentSecrets } from '../secrets.ts';
import { runProgram, startProgram, type StartedProgram } from './start-program.ts';

/** On a machine that does much else. */
export const slowMs = 120_000;

/** What a shell starts after this can't see the checkout. */
const hidden = [
  'unshare',
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  'mount -t tmpfs none "$0" && exec "$@"',
  projectFolder,
];

/** Below an empty folder, as dpkg would unpack them below `/`. */
async function unpack(release: string, work: string): Promise<{ root: string; bank: string }> {
  const root = path.join(work, 'root');
  const [deb] = globSync('*.deb', { cwd: release });
  const [bank] = globSync('kelpie-sandbox-bank-*.tar.gz', { cwd: release });
  if (deb === undefined || bank === undefined) throw new Error(`${release} has no package`);
  await runCommand('dpkg-deb', ['--extract', path.join(release, deb), root], slowMs);
  await runCommand('tar', ['-xzf', path.join(release, bank), '-C', work]);
  return { root, bank: path.join(work, bank.replace(/\.tar\.gz$/, '')) };
}

/** A path of the checkout in a released file would be read on the machine that built it, and nowhere else. */
async function assertNoPathOfOurs(folder: string): Promise<void> {
  const found = await runCommand('sh', ['-c', 'grep -rlF -- "$0" "$1" || true', projectFolder, folder], slowMs);
  if (found !== '') throw new Error(`these files name ${projectFolder}:\n${found}`);
}

export async function isReady(url: string, program: StartedProgram): Promise<boolean> {
  if (program.hasEnded()) throw new Error(`it ended before it was ready:\n${program.output()}`);
  return fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function prepareDatabases(adminUrl: string) {
  await ensureRoles(adminUrl);
  for (const name of ['kelpie', 'sandbox_bank']) await createDatabase(adminUrl, name);
  return urlsOf(adminUrl, 'kelpie');
}

export interface InstalledStack {
  url: string;
  /** Where the package is unpacked. */
  root: string;
  readyAfterMs: number;
  /** Of a partner that the sandbox bank knows. */
  key: string;
  /** Settings for another api on the same database. */
  envFor: (port: number) => Record<string, string>;
  /** Ends the programs, and says with which codes. */
  stop: () => Promise<(number | null)[]>;
  remove: () => Promise<void>;
}

/** A release on a database of its own: migrated, with the bank, the api, a worker and one partner. */
export async function startInstalled(release: string, work: string): Promise<InstalledStack> {
  const { root, bank } = await unpack(release, work);
  await assertNoPathOfOurs(work);
  const server = await startOwnServer();
  const running: StartedProgram[] = [];
  const stop: InstalledStack['stop'] = async () => {
    const codes: (number | null)[] = [];
    for (const one of running.toReversed()) codes.push(one.hasEnded() ? await one.exited : await one.stop());
    return codes;
  };
  const remove = async (): Promise<void> => {
    await stop();
    await server.remove();
  };
  try {
    const urls = await prepareDatabases(server.adminUrl);
    const { KELPIE_AUDIT_KEY: auditKey = '', ...secrets } = await developmentSecrets();
    const [apiPort, bankPort] = await Promise.all([findPort(), findPort()]);
    const url = `http://127.0.0.1:${apiPort}`;
    const installed = path.join(root, 'usr/lib/kelpie');
    const node = path.join(installed, 'bin/node');
    const program = (name: string): string[] => [...hidden, node, path.join(installed, `programs/${name}.mjs`)];
    const shared = {
      ...secrets,
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: urls.serviceUrl,
      KELPIE_SANDBOX_BANK_URL: `http://127.0.0.1:${bankPort}/v0`,
      KELPIE_SANDBOX_BANK_API_KEY: 'sk-test-kelpie',
      KELPIE_SANDBOX_BANK_CONTROL_URL: `http://127.0.0.1:${bankPort}/control`,
      KELPIE_METRICS_PORT: '0',
      KELPIE_DRAIN_DELAY_MS: '0',
    };
    const envFor = (port: number) => ({
      ...shared,
      KELPIE_PUBLIC_URL: `http://127.0.0.1:${port}`,
      KELPIE_API_PORT: String(port),
    });
    const operator = {
      ...shared,
      KELPIE_OWNER_DATABASE_URL: urls.ownerUrl,
      KELPIE_READER_DATABASE_URL: urls.readerUrl,
      KELPIE_OPERATOR_DATABASE_URL: urls.operatorUrl,
      KELPIE_AUDIT_KEY: auditKey,
      KELPIE_LOG_LEVEL: 'warn',
    };
    const admin = async (...args: string[]): Promise<string> =>
      runProgram([...program('kelpie-admin'), ...args, '--json'], { env: operator });
    await admin('migrate');
    await admin('audit', 'begin', '--reason', 'a new database');
    const ownedUrl = urlFor(server.adminUrl, 'sandbox_bank', 'kelpie_owner');
    const bankEnv = { BANK_DATABASE_URL: ownedUrl, BANK_PORT: String(bankPort) };
    running.push(startProgram([...hidden, node, path.join(bank, 'programs/sandbox-bank.mjs')], { env: bankEnv }));
    const startedAt = performance.now();
    const api = startProgram(program('api'), { env: envFor(apiPort) });
    running.push(api);
    await eventually('the api is ready', async () => isReady(url, api), slowMs);
    const readyAfterMs = Math.round(performance.now() - startedAt);
    running.push(startProgram(program('worker'), { env: shared }));
    const key = textAt(JSON.parse(await admin('partners', 'create', '--slug', 'acme', '--name', 'Acme')), 'data.key');
    await untilConnected(urls.readerUrl);
    return { url, root, readyAfterMs, key, envFor, stop, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function untilConnected(readerUrl: string): Promise<void> {
  const look = async (): Promise<boolean> =>
    asAdmin(readerUrl, async (client) => {
      const { rowCount } = await client.query(`select from kelpie.partner_environments where rail <> 'simulated'`);
      return rowCount === 1;
    });
  await eventually('the partner is connected to the bank', look, slowMs);
}
