// npm run restore-cluster: goes back to a moment before 1,000 live payouts on a cluster of its own, and rebuilds them.
import assert from 'node:assert/strict';
import { startPatroniCluster, type PatroniCluster } from '@kelpie/dev/cluster/patroni-cluster.ts';
import { restoreCluster } from '@kelpie/dev/cluster/point-in-time.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { runCommand } from '../harness/command.ts';
import { testSecrets } from '../harness/secrets.ts';
import { forgetAndRebuild, type RestorableServer } from './forget-and-rebuild.ts';
import { startRecoveryWorld } from './restoring.ts';

const lost = 1_000;

function restorable(cluster: PatroniCluster): RestorableServer {
  let moment: Date | undefined;
  return {
    takeBackup: async () => cluster.backup(),
    async markMoment() {
      moment = await asAdmin(cluster.adminUrl, async (admin) => {
        const { rows } = await admin.query<{ now: Date }>('select clock_timestamp() as now');
        return rows[0]?.now;
      });
    },
    async restore() {
      assert(moment !== undefined);
      await restoreCluster(cluster, moment);
    },
  };
}

/** The backup is older than the restore, so recovery has to follow the timeline that the restore began. */
async function drill(cluster: PatroniCluster): Promise<unknown> {
  const { code, printed, output } = await runCommand({
    args: ['recovery', 'drill', '--config', cluster.backupConfiguration(1), '--json'],
    env: { KELPIE_MODE: 'development', KELPIE_LOG_LEVEL: 'warn', KELPIE_AUDIT_KEY: testSecrets.KELPIE_AUDIT_KEY },
  });
  assert.equal(code, 0, output);
  return valueAt(JSON.parse(printed), 'data');
}

const startedAt = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
const endings: (() => Promise<unknown>)[] = [];
const atEnd = (end: () => Promise<unknown>): void => void endings.push(end);

try {
  const cluster = await startPatroniCluster({ atEnd });
  say('the cluster is whole');
  const urls = await prepareDatabase(cluster.adminUrl);
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  const database = { ...urls, superuserUrl: urlFor(cluster.adminUrl, 'kelpie') };
  const world = await startRecoveryWorld({ database, atEnd });
  await forgetAndRebuild(world, restorable(cluster), { lost, say });
  say(`${lost} payouts rebuilt, 0 sent again, 0 paid twice, ledger clean`);
  await asAdmin(cluster.adminUrl, async (admin) => admin.query('select pg_switch_wal()'));
  say(`drill: ${JSON.stringify(await drill(cluster))}`);
} finally {
  for (const end of endings.toReversed()) await end();
}
