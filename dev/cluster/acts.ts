// What a person can do to a running cluster. Each says what it did, what to expect and how to undo it.
import { nodeName, nodes } from './plan.ts';
import type { PatroniCluster } from './patroni-cluster.ts';

type Act = (cluster: PatroniCluster) => Promise<string>;

const undo = 'Undo it with: npm run cluster -- heal';

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}

async function getSyncStandby(cluster: PatroniCluster): Promise<number> {
  const standby = await cluster.syncStandby();
  if (standby === null) throw new Error('There is no synchronous standby. See: npm run cluster -- status');
  return standby;
}

const killLeader: Act = async (cluster) => {
  const leader = await cluster.leader();
  const next = await cluster.syncStandby();
  await cluster.killNode(leader);
  const expected =
    next === null
      ? `no leader is elected, because there was no synchronous standby. See docs/runbooks/no-leader.md.`
      : `writes are answered with 503 for about 12 s. The leader's key in etcd expires after 10 s, then ${nodeName(next)},
the synchronous standby, leads. Every acknowledged payout is there. ${nodeName(leader)} stays down.`;
  return `Killed Patroni and PostgreSQL of ${nodeName(leader)}, the leader, with SIGKILL.
Expect: ${expected}
${undo}`;
};

const switchOver: Act = async (cluster) => {
  const from = await cluster.leader();
  const startedAt = performance.now();
  const to = await cluster.switchover();
  return `Handed the leadership over from ${nodeName(from)} to ${nodeName(to)}, in ${secondsSince(startedAt)}.
Expect: about 5 s of 503, then payouts as before. ${nodeName(from)} follows as a standby. There is nothing to undo.`;
};

const pauseStandby: Act = async (cluster) => {
  const standby = await getSyncStandby(cluster);
  await cluster.freezePostgres(standby);
  return `Froze PostgreSQL of ${nodeName(standby)}, the synchronous standby.
Expect: writes wait, because no standby confirms them. After about 7 s the leader drops the silent standby, Patroni names the
other one, and writes go on. No payout is acknowledged in between.
Undo it with: npm run cluster -- thaw`;
};

const cutEtcd: Act = async (cluster) => {
  await cluster.killEtcd(nodes);
  return `Killed all three etcd members.
Expect: no effect on payouts. With failsafe_mode the leader asks the other nodes and stays leader. Without etcd there is no
failover: if the leader dies now, writes stop until etcd is back.
${undo}`;
};

const partition: Act = async (cluster) => {
  const leader = await cluster.leader();
  await cluster.partition(leader);
  return `Cut ${nodeName(leader)}, the leader, off from the other nodes and their etcd members. HAProxy and the apis still see it.
Expect: it confirms no write from now on, because its standby is gone, and steps down within seconds. The others choose a
leader after about 12 s. ${nodeName(leader)} rejoins as a standby when the network is back.
${undo}`;
};

const thaw: Act = async (cluster) => {
  await Promise.all(nodes.map(async (node) => cluster.thawNode(node)));
  return `Thawed every node.
Expect: a standby that was frozen catches up within seconds. A leader that was frozen finds another one, and follows it.
See: npm run cluster -- status`;
};

const heal: Act = async (cluster) => {
  const startedAt = performance.now();
  for (const node of nodes) {
    await cluster.freeDisk(node);
    await cluster.thawNode(node);
    await cluster.heal(node);
  }
  await cluster.startEtcd(nodes);
  await Promise.all(nodes.map(async (node) => cluster.startNode(node)));
  await cluster.startHaproxy();
  await cluster.untilWhole();
  const leader = nodeName(await cluster.leader());
  return `Started, thawed and connected everything. The cluster is whole after ${secondsSince(startedAt)}. ${leader} leads.`;
};

export const acts: ReadonlyMap<string, Act> = new Map([
  ['kill-leader', killLeader],
  ['switchover', switchOver],
  ['pause-standby', pauseStandby],
  ['cut-etcd', cutEtcd],
  ['partition', partition],
  ['thaw', thaw],
  ['heal', heal],
]);

/** One line per node, and what is missing. */
export async function describeCluster(cluster: PatroniCluster): Promise<string> {
  const members = await cluster.members();
  const lines = members.map(({ node, state, role, isSync, timeline }) =>
    [
      nodeName(node),
      isSync ? 'synchronous standby' : (role ?? ''),
      state,
      timeline === null ? '' : `timeline ${timeline}`,
    ]
      .map((text, at) => text.padEnd(at === 1 ? 21 : 13))
      .join('')
      .trimEnd(),
  );
  const missing = await cluster.findMissing();
  return [...lines, missing === null ? 'The cluster is whole.' : `The cluster is not whole: ${missing}.`].join('\n');
}
