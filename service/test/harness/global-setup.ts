import { buildPrograms } from '@kelpie/dev/build-programs.ts';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { Client } from 'pg';
import { prepareTemplate } from './database.ts';

let stop: (() => Promise<void>) | undefined;

/** Two runs in one checkout would drop each other's databases: the second is turned away. */
async function claimRun(adminUrl: string): Promise<Client> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ free: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('kelpie.tests.' || $1, 0)) as free`,
    [import.meta.url],
  );
  if (rows[0]?.free === true) return client;
  await client.end();
  throw new Error('The tests of this checkout are running already. Wait for that run to end.');
}

/** @public Called by the test runner, once before all files. */
export async function globalSetup(): Promise<void> {
  const { adminUrl, startedHere } = await startCluster('test');
  const claim = await claimRun(adminUrl);
  stop = async () => {
    await claim.end();
    if (startedHere) await stopCluster('test');
  };
  await buildPrograms();
  await prepareTemplate(adminUrl);
}

/** @public And once after them. */
export async function globalTeardown(): Promise<void> {
  await stop?.();
}
