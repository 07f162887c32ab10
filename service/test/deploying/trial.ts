// npm run deploy:trial: from the released files alone onto empty hosts, then an upgrade and a rollback under traffic, by the
// procedure of docs/runbooks/new-installation.md and deploy.md. Closes with a JSON line; exits with 1 where a request failed.
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '@kelpie/dev/cluster/run-command.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { Client } from '../harness/client.ts';
import { startSteadyPayouts } from '../rolling/steady-payouts.ts';
import { startMonitoring, type Monitoring } from './monitoring.ts';
import { setStage, type DeployedHost, type Stage } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    /** Takes releases that were built before, in place of building two. */
    releases: { type: 'string' },
    seconds: { type: 'string', default: '20' },
  },
});
const perSecond = 20;
const quietSeconds = Number(options.seconds);
const say = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

async function buildRelease(version: string): Promise<string> {
  say(`Building the release ${version}`);
  const args = ['--prefix', projectFolder, 'run', '--silent', 'release', '--', '--trial', version, '--without-image'];
  await runCommand('npm', args, 900_000);
  return `${version}-trial`;
}

function folderOf(version: string): string {
  return path.join(projectFolder, '.dev/release', version);
}

function packageOf(version: string): string {
  const [deb] = globSync('*.deb', { cwd: folderOf(version) });
  if (deb === undefined) throw new Error(`the release ${version} has no package`);
  return deb;
}

/** The hosts see no more of the releases than their packages. */
async function collectPackages(versions: readonly string[]): Promise<string> {
  const packages = path.join(folder, 'packages');
  await mkdir(packages);
  for (const version of versions) {
    const deb = packageOf(version);
    await copyFile(path.join(folderOf(version), deb), path.join(packages, deb));
  }
  return packages;
}

async function install(host: DeployedHost, version: string): Promise<void> {
  await host.run(['dpkg', '--install', '--force-confold', `/mnt/packages/${packageOf(version)}`]);
  await host.run(['chown', 'kelpie:kelpie', '/mnt/kelpie']);
}

async function versionOf(host: DeployedHost): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${host.apiPort}/`);
  return textAt(await response.json(), 'release');
}

async function untilReady(host: DeployedHost): Promise<void> {
  await eventually(
    `the api of ${host.name} is ready`,
    async () =>
      fetch(`http://127.0.0.1:${host.apiPort}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${host.log().slice(-4_000)}`, { cause: error });
  });
}

/** docs/runbooks/new-installation.md, once the hosts have their settings. */
async function firstInstall({ hosts, adminEnv }: Stage, version: string): Promise<void> {
  const [first] = hosts;
  for (const host of hosts) await install(host, version);
  await first?.runOnce('kelpie-migrate.service');
  await first?.run(['kelpie-admin', 'audit', 'begin', '--reason', 'new installation'], { env: adminEnv });
  for (const host of hosts) {
    await host.start('kelpie-worker.service');
    await host.start('kelpie-api.service');
    await untilReady(host);
  }
}

/** docs/runbooks/deploy.md: one process after the other. */
async function replaceVersion({ hosts }: Stage, version: string, { migrates }: { migrates: boolean }): Promise<number> {
  const startedAt = performance.now();
  const [first] = hosts;
  for (const host of hosts) {
    await install(host, version);
    if (migrates && host === first) await host.runOnce('kelpie-migrate.service');
    await host.stop('kelpie-worker.service');
    await host.start('kelpie-worker.service');
    await host.stop('kelpie-api.service');
    await host.start('kelpie-api.service');
    await untilReady(host);
    const running = await versionOf(host);
    if (running !== version) throw new Error(`${host.name} runs ${running}, and not ${version}`);
  }
  return Math.round((performance.now() - startedAt) / 100) / 10;
}

async function createPartner({ hosts, adminEnv, url }: Stage, slug: string): Promise<Client> {
  const args = ['kelpie-admin', 'partners', 'create', '--slug', slug, '--name', slug, '--json'];
  const printed = (await hosts[0]?.run(args, { env: adminEnv })) ?? '';
  return { url, key: textAt(JSON.parse(printed), 'data.key') };
}

async function countOpen({ readerUrl }: Stage): Promise<{ all: number; open: number; connected: number }> {
  return asAdmin(readerUrl, async (client) => {
    const { rows } = await client.query<{ all: string; open: string; connected: string }>(
      `select count(*) as all, count(*) filter (where state in ('sending', 'pending', 'processing')) as open,
        (select count(*) from kelpie.partner_environments where environment = 'sandbox' and rail <> 'simulated') as connected
       from kelpie.payouts`,
    );
    const [row] = rows;
    return { all: Number(row?.all), open: Number(row?.open), connected: Number(row?.connected) };
  });
}

async function pause(seconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

async function deploy(stage: Stage, [before, after]: readonly [string, string], monitoring: Monitoring) {
  say(`Installing ${before}`);
  const installedAt = performance.now();
  await firstInstall(stage, before);
  const installSeconds = Math.round((performance.now() - installedAt) / 1_000);
  const clients = [await createPartner(stage, 'acme'), await createPartner(stage, 'birch')];
  await eventually('partners are connected to the bank', async () => (await countOpen(stage)).connected === 2, 60_000);
  say(`Both hosts serve ${before}. ${perSecond} payouts per second from now on`);
  const beganMs = performance.now();
  const payouts = startSteadyPayouts(clients, perSecond);
  await pause(quietSeconds);
  say(`Upgrading to ${after}`);
  const upgradeSeconds = await replaceVersion(stage, after, { migrates: true });
  await pause(quietSeconds);
  say(`Rolling back to ${before}`);
  const rollbackSeconds = await replaceVersion(stage, before, { migrates: false });
  await pause(quietSeconds);
  await payouts.stop();
  const figures = payouts.figuresSince(beganMs);
  if (payouts.firstError() !== undefined) say(`The first error: ${payouts.firstError()}`);
  say('Waiting for the last payouts');
  await eventually('all payouts are at an end', async () => (await countOpen(stage)).open === 0, 120_000);
  const { all } = await countOpen(stage);
  const unreached = await monitoring.unreached();
  if (unreached.length > 0) throw new Error(`Prometheus does not reach ${unreached.join(', ')}`);
  return {
    before,
    after,
    install_s: installSeconds,
    upgrade_s: upgradeSeconds,
    rollback_s: rollbackSeconds,
    acknowledged: figures.payouts,
    in_database: all,
    p99_ms: figures.p99Ms,
    longest_stall_ms: figures.longestStallMs,
    alerts: monitoring.alerts(),
    errors: figures.errors,
  };
}

const endings: (() => Promise<unknown>)[] = [];
const folder = await mkdtemp('/var/tmp/kelpie-trial-');
endings.push(async () => rm(folder, { recursive: true, force: true }));
async function end(): Promise<void> {
  for (const each of endings.splice(0).toReversed()) await each().catch((error: unknown) => console.error(error));
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().finally(() => process.exit(130)));
try {
  const [given, later] = options.releases?.split(',') ?? [];
  const before = given ?? (await buildRelease('0.1.0'));
  const after = later ?? (await buildRelease('0.1.1'));
  const packages = await collectPackages([before, after]);
  const atEnd = (each: () => Promise<unknown>): void => void endings.push(each);
  const stage = await setStage({ release: folderOf(before), packages, folder, atEnd, say });
  const result = await deploy(stage, [before, after], await startMonitoring(stage, atEnd));
  console.log(JSON.stringify(result));
  process.exitCode = result.errors === 0 && result.acknowledged === result.in_database ? 0 : 1;
} catch (error) {
  for (const file of globSync('*.log', { cwd: folder }))
    say(`${file}:\n${readFileSync(path.join(folder, file), 'utf8').slice(-2_000)}`);
  throw error;
} finally {
  await end();
}
