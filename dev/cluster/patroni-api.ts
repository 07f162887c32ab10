import { listAt, textAt, valueAt } from '../json.ts';
import { addressesOf, nodeName, nodes, type ClusterPlan } from './plan.ts';

const answerWithinMs = 2_000;

/** What one node says about itself. */
export interface Member {
  node: number;
  /** As Patroni names it: running, starting, stopped, …; `unreachable` if its Patroni does not answer. */
  state: string;
  role: 'leader' | 'standby' | null;
  /** The standby that etcd has as the synchronous one. */
  isSync: boolean;
  timeline: number | null;
}

function urlOf(plan: ClusterPlan, node: number, path: string): string {
  return `http://${addressesOf(plan, node).clients}:8008${path}`;
}

/** Patroni answers 503 with a body for a node that is not what was asked for. */
async function askNode(
  plan: ClusterPlan,
  node: number,
  path: string,
): Promise<{ status: number; json: unknown } | null> {
  try {
    const response = await fetch(urlOf(plan, node, path), { signal: AbortSignal.timeout(answerWithinMs) });
    const json: unknown = await response.json();
    return { status: response.status, json };
  } catch {
    return null;
  }
}

function roleIn(json: unknown): Member['role'] {
  const role = valueAt(json, 'role');
  // Patroni before 4 says master.
  if (role === 'master' || role === 'primary') return 'leader';
  return role === 'replica' ? 'standby' : null;
}

/** As etcd has it, from the first node that can read it. Undefined without etcd. */
async function findSyncName(plan: ClusterPlan): Promise<string | null | undefined> {
  const ask = async (node: number): Promise<unknown[]> =>
    listAt((await askNode(plan, node, '/cluster'))?.json, 'members');
  const members = await Promise.any(nodes.map(ask)).catch(() => undefined);
  const sync = members?.find((member) => valueAt(member, 'role') === 'sync_standby');
  return members === undefined ? undefined : sync === undefined ? null : textAt(sync, 'name');
}

async function describeNode(plan: ClusterPlan, node: number, syncName: string | null | undefined): Promise<Member> {
  const answer = await askNode(plan, node, '/patroni');
  const isSync = syncName === undefined ? valueAt(answer?.json, 'sync_standby') === true : syncName === nodeName(node);
  if (answer === null) return { node, state: 'unreachable', role: null, isSync, timeline: null };
  const timeline = valueAt(answer.json, 'timeline');
  return {
    node,
    state: textAt(answer.json, 'state'),
    role: roleIn(answer.json),
    isSync,
    timeline: typeof timeline === 'number' ? timeline : null,
  };
}

export async function describeMembers(plan: ClusterPlan): Promise<Member[]> {
  const syncName = await findSyncName(plan);
  return Promise.all(nodes.map(async (node) => describeNode(plan, node, syncName)));
}

async function command(plan: ClusterPlan, node: number, path: string, body: object): Promise<void> {
  const authorization = `Basic ${Buffer.from(`patroni:${plan.passwords.patroni}`).toString('base64')}`;
  const response = await fetch(urlOf(plan, node, path), {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`Patroni refused ${path}: ${response.status} ${await response.text()}`);
}

/** Hands the leadership over, and returns when it is done. Throws with Patroni's words if it refuses. */
export async function requestSwitchover(plan: ClusterPlan, { from, to }: { from: number; to: number }): Promise<void> {
  await command(plan, from, '/switchover', { leader: nodeName(from), candidate: nodeName(to) });
}

/** Makes a standby the leader though Patroni would not choose it, as a person does when no leader is elected. */
export async function requestFailover(plan: ClusterPlan, candidate: number): Promise<void> {
  await command(plan, candidate, '/failover', { candidate: nodeName(candidate) });
}
