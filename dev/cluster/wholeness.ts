import { askServer } from './ask-server.ts';
import { isUnplugged } from './network.ts';
import { hasEtcd, hasPatroni } from './node-control.ts';
import { describeMembers } from './patroni-api.ts';
import { adminUrlOf, foldersOf, nodeName, nodes, type ClusterPlan } from './plan.ts';
import { hasProxy } from './proxy.ts';
import { isFilled } from './wal-disk.ts';

interface Standby {
  application_name: string;
  state: string;
  sync_state: string;
}

async function missingOf(plan: ClusterPlan, node: number): Promise<string | null> {
  const name = nodeName(node);
  if (isUnplugged(plan, node)) return `${name} is cut off from the others`;
  if (isFilled(foldersOf(plan, node).walDisk)) return `the disk of ${name} is full`;
  if (!(await hasEtcd(plan, node))) return `the etcd member of ${name} is stopped`;
  return (await hasPatroni(plan, node)) ? null : `${name} is stopped`;
}

/** As the leader itself sees it, through HAProxy: both standbys follow, and one confirms commits. */
async function missingInReplication(plan: ClusterPlan): Promise<string | null> {
  let standbys: Standby[];
  try {
    standbys = await askServer<Standby>(
      adminUrlOf(plan),
      `select application_name, state, sync_state from pg_stat_replication where not pg_is_in_recovery()`,
    );
  } catch (error) {
    return `HAProxy finds no leader (${error instanceof Error ? error.message : String(error)})`;
  }
  const streaming = standbys.filter(
    ({ application_name, state }) => application_name.startsWith('node') && state === 'streaming',
  );
  if (streaming.length < nodes.length - 1) return `the leader has ${streaming.length} streaming standbys`;
  return streaming.some(({ sync_state }) => sync_state === 'sync') ? null : 'no standby is synchronous';
}

/** What keeps the cluster from being whole, or null. Whole: all is running, both standbys follow, and one is synchronous. */
export async function findMissing(plan: ClusterPlan): Promise<string | null> {
  for (const missing of await Promise.all(nodes.map(async (node) => missingOf(plan, node))))
    if (missing !== null) return missing;
  if (!(await hasProxy(plan))) return 'HAProxy is stopped';
  const members = await describeMembers(plan);
  const other = members.find(({ state }) => state !== 'running');
  if (other !== undefined) return `${nodeName(other.node)} is ${other.state}`;
  // The leader names a standby to PostgreSQL first and to etcd seconds later. Only then may that standby be promoted.
  if (!members.some(({ isSync }) => isSync)) return 'etcd has no synchronous standby';
  return missingInReplication(plan);
}
