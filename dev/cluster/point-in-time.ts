import { chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { eventually } from '../eventually.ts';
import { configurationFile } from './configuration.ts';
import { namespaceOf } from './network.ts';
import type { PatroniCluster } from './patroni-cluster.ts';
import { foldersOf, nodes, type ClusterPlan } from './plan.ts';
import { runInNode } from './processes.ts';
import { readPlan } from './stored-plan.ts';

const restoredWithinMs = 180_000;

/** Patroni runs this instead of initdb, because the node has no data and etcd knows of no cluster. */
function restoreMethod(plan: ClusterPlan, node: number, moment: Date): string {
  const target = moment.toISOString().replace('T', ' ').replace('Z', '+00');
  const restore = [
    'pgbackrest',
    `--config=${configurationFile(plan, node, 'pgbackrest.conf')}`,
    '--stanza=kelpie',
    '--type=time',
    `--target="${target}"`,
    '--target-action=promote',
    `--link-map=pg_wal=${foldersOf(plan, node).wal}`,
    'restore',
  ];
  return [
    '  method: point_in_time',
    '  point_in_time:',
    `    command: ${restore.join(' ')}`,
    '    keep_existing_recovery_conf: true',
    '    no_params: true',
  ].join('\n');
}

/** Keeps the old data: it is all that is left of what happened since. */
async function setAside(folder: string): Promise<void> {
  const { uid, gid } = await stat(folder);
  await rename(folder, `${folder}.before`);
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, uid, gid);
}

/** What etcd knows of the old cluster: Patroni would make the restored node follow it. */
async function forgetCluster(plan: ClusterPlan): Promise<void> {
  const config = configurationFile(plan, nodes[0], 'patroni.yml');
  const command = `printf 'kelpie\\nYes I am aware\\n' | timeout 30 patronictl -c ${config} remove kelpie`;
  // The dead leader's key has to expire first, otherwise patronictl asks for its name too.
  await eventually('etcd has forgotten the cluster', async () =>
    runInNode(namespaceOf(plan, nodes[0]), ['sh', '-c', command]).then(
      () => true,
      () => false,
    ),
  );
}

/** Restores all three nodes to a moment, as docs/runbooks/restore.md says. Its WAL must be archived. */
export async function restoreCluster(cluster: PatroniCluster, moment: Date): Promise<void> {
  const plan = await readPlan(cluster.folder);
  const [first, ...others] = nodes;
  for (const node of nodes) await cluster.killNode(node);
  await forgetCluster(plan);
  for (const node of nodes)
    for (const folder of [foldersOf(plan, node).data, foldersOf(plan, node).wal]) await setAside(folder);
  const file = configurationFile(plan, first, 'patroni.yml');
  const usual = await readFile(file, 'utf8');
  await writeFile(file, usual.replace(/^bootstrap:$/m, `bootstrap:\n${restoreMethod(plan, first, moment)}`));
  await cluster.startNode(first);
  await eventually(
    'the restored node leads',
    async () => (await cluster.leader().catch(() => 0)) === first,
    restoredWithinMs,
  );
  await writeFile(file, usual);
  for (const node of others) await cluster.startNode(node);
  await cluster.untilWhole(restoredWithinMs);
}
