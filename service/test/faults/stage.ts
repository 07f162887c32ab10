import { setPriority } from 'node:os';
import { startPatroniCluster, type PatroniCluster } from '@kelpie/dev/cluster/patroni-cluster.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { urlFor } from '@kelpie/dev/postgres/roles.ts';
import { openRounds, untilFunded, type Places } from '../funding/topping-up.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import { depositToEach, type TestPartner } from '../harness/partners.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startProcesses, type Processes } from '../simulate/payouts-processes.ts';
import { createBankClients } from './bank-test.ts';
import { watchProcesses, type ProcessWatch } from './watch-processes.ts';
import { watchWebhooks, type WatchedWebhooks } from './watched-webhooks.ts';

/** Where faults happen: a real cluster, two api processes, two workers, and a bank on a server of its own as the judge. */
export interface FaultStage {
  cluster: PatroniCluster;
  world: World;
  clock: TestClock;
  processes: Processes;
  /** Of the two api processes. */
  urls: readonly string[];
  partners: readonly TestPartner[];
  clients: readonly TestPartner[];
  places: readonly Places[];
  /** Runs a recurring job now. */
  round: (queue?: string) => Promise<void>;
  watch: ProcessWatch;
  webhooks: WatchedWebhooks;
  /** The superuser's address of the database on one node, past HAProxy. */
  databaseOn(node: number): string;
  /** So that no run ends for want of money. */
  refill(): Promise<void>;
}

const partnersInAll = 12;
/** Partners whose wallets get deposits. */
const fundedPartners = 2;
/** Partners whose own servers receive their events. */
const notifiedPartners = 3;
const settleAfterMs = 1_000;
const refillMicroUsdc = 50_000_000_000n;
const wholeWithinMs = 120_000;

/** Of the scheduler. Only root may ask for it. */
const foremost = -10;

/** The bank and the callers have machines of their own in reality. Here they come first, so that what is slow is the service. */
function putFirst(pids: readonly number[]): void {
  if (process.getuid?.() === 0) for (const pid of pids) setPriority(pid, foremost);
}

type AtEnd = (end: () => Promise<unknown>) => void;

export async function startFaultStage(atEnd: AtEnd, say: (text: string) => void): Promise<FaultStage> {
  say('Starting the cluster.');
  const cluster = await startPatroniCluster({ atEnd });
  await cluster.untilWhole(wholeWithinMs);
  const database = 'kelpie';
  const urls = await prepareDatabase(cluster.adminUrl, { database });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  say('Starting the bank, two api processes and two workers.');
  const clock = createTestClock({ atEnd });
  const world = await startWorld({
    database: { ...urls, superuserUrl: urlFor(cluster.adminUrl, database) },
    settleAfterMs,
    env: { KELPIE_TEST_CLOCK_FILE: clock.file },
    atEnd,
  });
  putFirst([process.pid, world.bank.child.pid]);
  const partners = [world.partner];
  while (partners.length < partnersInAll) partners.push(await world.addPartner());
  const { processes, urls: apiUrls } = await startProcesses(world);
  const round = await openRounds(world.database, atEnd);
  await round('open-funding');
  const places: Places[] = [];
  for (const partner of partners.slice(1, 1 + fundedPartners)) places.push(await untilFunded(world.database, partner));
  const databaseOn = (node: number): string => urlFor(cluster.superuserUrlOf(node), database);
  const watch = watchProcesses(world, async () => databaseOn(await cluster.leader()));
  atEnd(async () => watch.stop());
  const notified = partners.slice(1, 1 + notifiedPartners);
  const webhooks = await watchWebhooks({ world, url: apiUrls[0] ?? '', partners: notified, atEnd });
  return {
    cluster,
    webhooks,
    world,
    clock,
    processes,
    urls: apiUrls,
    partners,
    clients: await createBankClients(world, partners),
    places,
    round,
    watch,
    databaseOn,
    async refill() {
      const [, ...others] = partners;
      for (const { walletId } of others)
        await world.bank.control(`/wallets/${walletId}/adjust`, { micro_usdc: Number(refillMicroUsdc) });
      await depositToEach(world.database, others, refillMicroUsdc);
    },
  };
}
