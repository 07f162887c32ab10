import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareTemplate } from './database.ts';

let startedHere = false;

/** @public Called by the test runner, once before all files. */
export async function globalSetup(): Promise<void> {
  const cluster = await startCluster('test');
  ({ startedHere } = cluster);
  await prepareTemplate(cluster.adminUrl);
}

/** @public And once after them. */
export async function globalTeardown(): Promise<void> {
  if (startedHere) await stopCluster('test');
}
