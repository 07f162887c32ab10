import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { eventually } from '../eventually.ts';
import { findPort } from '../free-port.ts';
import { ClusterError } from '../postgres/cluster.ts';
import { askServer } from './ask-server.ts';
import { configurationFile, proxyMetricsAddress, writeConfiguration } from './configuration.ts';
import {
  claimNetwork,
  connectNodes,
  isUnplugged,
  namespaceExists,
  namespaceOf,
  plugIn,
  removeNetwork,
  unplug,
} from './network.ts';
import {
  freezeDatabase,
  freezePostgresOf,
  killDatabase,
  killEtcdMember,
  killEverything,
  killPostmasterOf,
  startEtcdMember,
  startPatroni,
  thawDatabase,
} from './node-control.ts';
import { describeMembers, requestFailover, requestSwitchover, type Member } from './patroni-api.ts';
import { addressesOf, adminUrlOf, foldersOf, nodes, superuserUrlOf, type ClusterPlan } from './plan.ts';
import { runInNode } from './processes.ts';
import { killProxy, startProxy } from './proxy.ts';
import { runCommand } from './run-command.ts';
import { listAbandoned, newFolder, readPlan, storePlan } from './stored-plan.ts';
import { fillDiskAt, freeDiskAt, mountDisk, unmountDisk } from './wal-disk.ts';
import { findMissing } from './wholeness.ts';

/**
 * Three PostgreSQL nodes under Patroni with three etcd members, HAProxy in front and a backup repository. Each node has a
 * network of its own. Nodes are numbered 1, 2 and 3.
 */
export interface PatroniCluster {
  /** Connects as a superuser to the leader, through HAProxy. */
  adminUrl: string;
  folder: string;
  /** Where Prometheus finds their figures. */
  metrics: { patroni: readonly string[]; proxy: string };
  /** Connects as a superuser to one node, whatever its role. */
  superuserUrlOf(node: number): string;
  members(): Promise<Member[]>;
  /** Throws if there is none. */
  leader(): Promise<number>;
  /** The standby that may take over, or null if etcd has none. */
  syncStandby(): Promise<number | null>;
  /** What keeps it from being whole, in words, or null. */
  findMissing(): Promise<string | null>;
  /** Until all is running, both standbys follow, and one is synchronous. */
  untilWhole(timeoutMs?: number): Promise<void>;
  /** Kills Patroni and PostgreSQL, as a loss of power would. */
  killNode(node: number): Promise<void>;
  startNode(node: number): Promise<void>;
  /** Stops Patroni and PostgreSQL where they are. Their connections stay open. */
  freezeNode(node: number): Promise<void>;
  thawNode(node: number): Promise<void>;
  freezePostgres(node: number): Promise<void>;
  thawPostgres(node: number): Promise<void>;
  killPostmaster(node: number): Promise<void>;
  /** To the synchronous standby. Returns the new leader. */
  switchover(): Promise<number>;
  /** Promotes a node when no leader is elected, as docs/runbooks/no-leader.md has a person do. */
  failover(node: number): Promise<void>;
  killEtcd(members: readonly number[]): Promise<void>;
  startEtcd(members: readonly number[]): Promise<void>;
  killHaproxy(): Promise<void>;
  startHaproxy(): Promise<void>;
  /** Cuts a node off from the other nodes and their etcd members. HAProxy and the service still see it. */
  partition(node: number): Promise<void>;
  heal(node: number): Promise<void>;
  /** Leaves no space for the write-ahead log, and uses up what was reserved for it. */
  fillDisk(node: number): Promise<void>;
  freeDisk(node: number): Promise<void>;
  /** Takes a full backup. */
  backup(): Promise<void>;
  /** Runs patronictl on a node, and returns what it prints. */
  patronictl(args: readonly string[]): Promise<string>;
  /** pgBackRest's configuration file of one node, for restores. */
  backupConfiguration(node: number): string;
  /** Leaves nothing: no process, namespace, mount or file. */
  remove(): Promise<void>;
}

interface ClusterOptions {
  /** Where its files are. Must not exist yet. */
  folder?: string;
  /** Where its configuration files come from, if not from this checkout. */
  templates?: string;
  atEnd: (end: () => Promise<unknown>) => void;
}

const wholeWithinMs = 180_000;

async function getLeader(plan: ClusterPlan): Promise<number> {
  const leaders = (await describeMembers(plan))
    .filter(({ role, state }) => role === 'leader' && state === 'running')
    // One that was cut off may still believe that it leads.
    .toSorted((one, other) => (other.timeline ?? 0) - (one.timeline ?? 0));
  const [leader] = leaders;
  if (leader === undefined) throw new ClusterError('The cluster has no leader.');
  return leader.node;
}

async function findSyncStandby(plan: ClusterPlan): Promise<number | null> {
  return (await describeMembers(plan)).find(({ isSync }) => isSync)?.node ?? null;
}

async function switchOver(plan: ClusterPlan): Promise<number> {
  const from = await getLeader(plan);
  const to = await findSyncStandby(plan);
  if (to === null) throw new ClusterError('The cluster has no synchronous standby to switch to.');
  await requestSwitchover(plan, { from, to });
  return to;
}

async function takeBackup(plan: ClusterPlan): Promise<void> {
  const leader = await getLeader(plan);
  const config = `--config=${configurationFile(plan, leader, 'pgbackrest.conf')}`;
  const pgbackrest = async (...args: string[]): Promise<string> =>
    runInNode(namespaceOf(plan, leader), ['pgbackrest', config, '--stanza=kelpie', ...args]);
  // Does nothing where the repository has it.
  await pgbackrest('stanza-create');
  await pgbackrest('--type=full', 'backup');
}

/** On a node that sees the others. It waits for ever without etcd, so it has a deadline. */
async function runPatronictl(plan: ClusterPlan, args: readonly string[]): Promise<string> {
  const node = nodes.find((each) => !isUnplugged(plan, each)) ?? nodes[0];
  const config = configurationFile(plan, node, 'patroni.yml');
  try {
    return await runInNode(namespaceOf(plan, node), ['timeout', '30', 'patronictl', '-c', config, ...args]);
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new ClusterError(`patronictl failed. ${words}`, { cause: error });
  }
}

const mostMessages = 500;

/** A full disk stops PostgreSQL only when it needs a new file: this uses those that it has. Ends when the server does. */
async function useUpLog(url: string): Promise<void> {
  for (let sent = 0; sent < mostMessages; sent += 1) {
    try {
      await askServer(url, `select pg_logical_emit_message(false, 'kelpie', repeat('x', 8000000))`);
    } catch {
      return;
    }
  }
  throw new Error('PostgreSQL still finds space for its log');
}

async function removeCluster(plan: ClusterPlan): Promise<void> {
  await killProxy(plan);
  for (const node of nodes) {
    if (namespaceExists(plan, node)) await killEverything(plan, node);
    await unmountDisk(foldersOf(plan, node).walDisk);
  }
  await removeNetwork(plan);
  await rm(plan.folder, { recursive: true, force: true });
}

function clusterOf(plan: ClusterPlan): PatroniCluster {
  const walDisk = (node: number): string => foldersOf(plan, node).walDisk;
  return {
    adminUrl: adminUrlOf(plan),
    folder: plan.folder,
    metrics: {
      patroni: nodes.map((node) => `${addressesOf(plan, node).clients}:8008`),
      proxy: proxyMetricsAddress(plan),
    },
    superuserUrlOf: (node) => superuserUrlOf(plan, node),
    members: async () => describeMembers(plan),
    leader: async () => getLeader(plan),
    syncStandby: async () => findSyncStandby(plan),
    findMissing: async () => findMissing(plan),
    async untilWhole(timeoutMs = wholeWithinMs) {
      let missing: string | null = null;
      const isWhole = async (): Promise<boolean> => (missing = await findMissing(plan)) === null;
      await eventually('the cluster is whole', isWhole, timeoutMs).catch((error: unknown) => {
        throw new Error(`The cluster is not whole after ${timeoutMs} ms: ${missing}`, { cause: error });
      });
    },
    killNode: async (node) => killDatabase(plan, node),
    startNode: async (node) => startPatroni(plan, node),
    freezeNode: async (node) => freezeDatabase(plan, node),
    thawNode: async (node) => thawDatabase(plan, node),
    freezePostgres: async (node) => freezePostgresOf(plan, node),
    thawPostgres: async (node) => thawDatabase(plan, node),
    killPostmaster: async (node) => killPostmasterOf(plan, node),
    switchover: async () => switchOver(plan),
    failover: async (node) => requestFailover(plan, node),
    async killEtcd(members) {
      await Promise.all(members.map(async (node) => killEtcdMember(plan, node)));
    },
    async startEtcd(members) {
      await Promise.all(members.map(async (node) => startEtcdMember(plan, node)));
    },
    killHaproxy: async () => killProxy(plan),
    startHaproxy: async () => startProxy(plan),
    partition: async (node) => unplug(plan, node),
    heal: async (node) => plugIn(plan, node),
    async fillDisk(node) {
      await fillDiskAt(walDisk(node));
      await useUpLog(superuserUrlOf(plan, node));
    },
    freeDisk: async (node) => freeDiskAt(walDisk(node)),
    backup: async () => takeBackup(plan),
    patronictl: async (args) => runPatronictl(plan, args),
    backupConfiguration: (node) => configurationFile(plan, node, 'pgbackrest.conf'),
    remove: async () => removeCluster(plan),
  };
}

const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', '/usr/bin/pgbackrest'];

function requirePrograms(): void {
  const missing = programs.filter((program) => !existsSync(program));
  if (missing.length > 0)
    throw new ClusterError(
      `Not installed: ${missing.join(', ')}. On Debian, install all with: sudo deploy/cluster/install.sh`,
    );
  if (process.getuid?.() !== 0)
    throw new ClusterError('The cluster needs root, for network namespaces and mounts. Run it with sudo.');
}

function newPassword(): string {
  return randomBytes(16).toString('hex');
}

async function createPlan(folder: string): Promise<ClusterPlan> {
  await mkdir(folder, { recursive: true });
  const plan = {
    folder,
    network: await claimNetwork(),
    proxyPort: await findPort(),
    passwords: { superuser: newPassword(), replication: newPassword(), patroni: newPassword() },
  };
  await storePlan(plan);
  return plan;
}

async function idOf(kind: '-u' | '-g'): Promise<number> {
  return Number(await runCommand('id', [kind, 'postgres']));
}

async function prepareNodes(plan: ClusterPlan, templates?: string): Promise<void> {
  const owner = { uid: await idOf('-u'), gid: await idOf('-g') };
  await writeConfiguration(plan, owner, templates);
  for (const node of nodes) {
    const { walDisk, wal } = foldersOf(plan, node);
    await mkdir(walDisk);
    await mountDisk(walDisk);
    await mkdir(wal, { mode: 0o700 });
    await chown(wal, owner.uid, owner.gid);
  }
  await connectNodes(plan);
}

/** Removes clusters whose owner was killed. They would keep their processes, mounts and networks for ever. */
export async function removeAbandonedClusters(): Promise<void> {
  for (const plan of await listAbandoned()) await removeCluster(plan);
}

/** A new cluster, whole and with a first full backup. */
export async function startPatroniCluster({ folder, templates, atEnd }: ClusterOptions): Promise<PatroniCluster> {
  requirePrograms();
  await removeAbandonedClusters();
  const plan = await createPlan(folder ?? newFolder(randomBytes(4).toString('hex')));
  const cluster = clusterOf(plan);
  atEnd(async () => cluster.remove());
  await prepareNodes(plan, templates);
  await cluster.startEtcd(nodes);
  await Promise.all(nodes.map(async (node) => cluster.startNode(node)));
  await cluster.startHaproxy();
  await cluster.untilWhole();
  await cluster.backup();
  return cluster;
}

/** One that another process started. */
export async function openPatroniCluster(folder: string): Promise<PatroniCluster> {
  return clusterOf(await readPlan(folder));
}
