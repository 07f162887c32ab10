// npm run cluster: Kelpie on three PostgreSQL nodes under Patroni, to break and to heal.
import { readFile, rm } from 'node:fs/promises';
import { eventually } from '../eventually.ts';
import { listAt, textAt } from '../json.ts';
import { ClusterError, removeCluster } from '../postgres/cluster.ts';
import { findHolder } from '../stack-claim.ts';
import { acts, describeCluster } from './acts.ts';
import { openPatroniCluster, removeAbandonedClusters, type PatroniCluster } from './patroni-cluster.ts';
import { sendTraffic } from './traffic.ts';
import { claimFile, foundFile, say, up } from './up.ts';

const usage = `Usage: npm run cluster                  start everything; Ctrl-C stops it and leaves nothing
       npm run cluster -- COMMAND      on a cluster that runs

  status         show each node's role and state, and what is missing
  ${[...acts.keys()].join(', ')}
  traffic [60]   send 5 payouts per second for 60 s, and report what a partner sees
  patronictl …   run patronictl on a node, for example: patronictl list
  down           stop everything and leave nothing`;

/** What `up` wrote down. */
async function readFound(): Promise<unknown> {
  if ((await findHolder(claimFile)) === undefined)
    throw new ClusterError('The cluster is not running. Start it with: npm run cluster');
  const found: unknown = await readFile(foundFile, 'utf8').then(JSON.parse, () => {
    throw new ClusterError('The cluster is still starting.');
  });
  return found;
}

async function openRunning(): Promise<PatroniCluster> {
  return openPatroniCluster(textAt(await readFound(), 'folder'));
}

const usualSeconds = 60;

async function traffic(secondsText = String(usualSeconds)): Promise<void> {
  const found = await readFound();
  const apiUrls = listAt(found, 'apiUrls').map(String);
  const seconds = Number(secondsText);
  if (!(seconds > 0 && seconds <= 3_600)) throw new ClusterError(usage);
  say(`Sending 5 payouts per second for ${seconds} s, each repeated with its key until it is acknowledged.`);
  console.log(await sendTraffic({ apiUrls, key: textAt(found, 'key'), seconds, say }));
}

const stoppedWithinMs = 120_000;

async function down(): Promise<void> {
  const holder = await findHolder(claimFile);
  if (holder !== undefined) {
    process.kill(holder.pid, 'SIGTERM');
    await eventually('it has stopped', async () => (await findHolder(claimFile)) === undefined, stoppedWithinMs);
  }
  // Left by one that was killed.
  await removeAbandonedClusters();
  await removeCluster('bank');
  for (const file of [foundFile, claimFile]) await rm(file, { force: true });
  console.log('The cluster is stopped. Nothing is left of it.');
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  if (command === undefined) return up();
  if (command === 'down') return down();
  if (command === 'status') return console.log(await describeCluster(await openRunning()));
  if (command === 'traffic') return traffic(args[0]);
  if (command === 'patronictl') return console.log((await (await openRunning()).patronictl(args)).trimEnd());
  const act = args.length === 0 ? acts.get(command) : undefined;
  if (act === undefined) throw new ClusterError(usage);
  console.log(await act(await openRunning()));
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ClusterError ? error.message : error);
  process.exitCode = 1;
}
