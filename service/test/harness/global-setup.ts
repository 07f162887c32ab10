import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareTemplate } from './database.ts';

let startedHere = false;

export async function globalSetup(): Promise<void> {
  const cluster = await startCluster('test');
  ({ startedHere } = cluster);
  await prepareTemplate(cluster.adminUrl);
}

export async function globalTeardown(): Promise<void> {
  if (startedHere) await stopCluster('test');
}
