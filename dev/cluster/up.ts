import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ClusterError } from '../postgres/cluster.ts';
import { urlFor } from '../postgres/roles.ts';
import { projectFolder } from '../project.ts';
import { claimStack, type StackClaim } from '../stack-claim.ts';
import { startPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';
import { startService, type Service } from './service.ts';

/** Held while a cluster of this checkout runs. */
export const claimFile = path.join(projectFolder, '.dev', 'cluster.claim');
/** Where everything is, for scripts and for the other commands. */
export const foundFile = path.join(projectFolder, '.dev', 'cluster.json');

export function say(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
}

function describe({ adminUrl, folder }: PatroniCluster, { apiUrls, key, bankUrl, mailUrl }: Service): string {
  return `
Kelpie runs on a cluster of three nodes.
  API         ${apiUrls.join(' and ')}
  API key     ${key}   (a sandbox with 10,000.00 USDC of test money)
  Bank        ${bankUrl}   (sandbox bank, on a server of its own)
  Email       ${mailUrl}
  Leader      psql '${urlFor(adminUrl, 'kelpie')}'   (superuser, through HAProxy)
  Logs        ${folder}/*.log and ${folder}/node*/log
  Backups     ${folder}/backups

Break it, in other terminals:
  npm run cluster -- traffic       sends payouts, and reports what a partner sees
  npm run cluster -- kill-leader   also: switchover, pause-standby, cut-etcd, partition
  npm run cluster -- heal          also: status, thaw
Addresses for scripts are in .dev/cluster.json. Ctrl-C, or npm run cluster -- down, stops everything and leaves nothing.
`;
}

type Ending = () => Promise<unknown>;

async function endAll(endings: readonly Ending[], claim: StackClaim): Promise<void> {
  await claim.markStopping();
  for (const end of endings.toReversed()) await end().catch((error: unknown) => console.error(error));
  await rm(foundFile, { force: true });
  await claim.release();
}

async function startAll(atEnd: (end: Ending) => void, throwIfEnding: () => void): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  say('Starting three nodes…');
  const cluster = await startPatroniCluster({ atEnd });
  say(`The cluster is whole and has its first backup (${elapsed()}). Starting the service…`);
  throwIfEnding();
  const service = await startService({ adminUrl: cluster.adminUrl, folder: cluster.folder, atEnd, say });
  const { adminUrl, folder } = cluster;
  await writeFile(foundFile, `${JSON.stringify({ folder, adminUrl, ...service }, null, 2)}\n`, { mode: 0o600 });
  say(`Everything is up (${elapsed()}).`);
  console.log(describe(cluster, service));
}

/** Starts everything, and stops it on a signal. */
export async function up(): Promise<void> {
  let isEnding = false;
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      if (!isEnding) say('Stopping…');
      isEnding = true;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
  const throwIfEnding = (): void => {
    if (isEnding) throw new ClusterError('Stopped.');
  };
  const ifRunning = 'Stop it with: npm run cluster -- down';
  const claim = await claimStack({ file: claimFile, command: 'npm run cluster', ifRunning, throwIfEnding });
  const endings: Ending[] = [];
  try {
    await startAll((end) => endings.push(end), throwIfEnding);
    await stopped;
  } finally {
    await endAll(endings, claim);
  }
}
