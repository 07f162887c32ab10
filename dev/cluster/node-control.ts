// Starts, freezes and kills what runs on one node.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { configurationFile, patroniProgram } from './configuration.ts';
import { namespaceOf } from './network.ts';
import { foldersOf, type ClusterPlan } from './plan.ts';
import { killUntilGone, listProcesses, signalAll, startProgram, type Running } from './processes.ts';

async function listEtcd(plan: ClusterPlan, node: number): Promise<Running[]> {
  return (await listProcesses(namespaceOf(plan, node))).filter(({ name }) => name === 'etcd');
}

/** Patroni, PostgreSQL and what they started. */
async function listDatabase(plan: ClusterPlan, node: number): Promise<Running[]> {
  return (await listProcesses(namespaceOf(plan, node))).filter(({ name }) => name !== 'etcd');
}

async function listPostgres(plan: ClusterPlan, node: number): Promise<Running[]> {
  return (await listProcesses(namespaceOf(plan, node))).filter(({ name }) => name === 'postgres');
}

export async function hasEtcd(plan: ClusterPlan, node: number): Promise<boolean> {
  return (await listEtcd(plan, node)).length > 0;
}

export async function hasPatroni(plan: ClusterPlan, node: number): Promise<boolean> {
  return (await listDatabase(plan, node)).some(({ name }) => name === 'patroni');
}

export async function startEtcdMember(plan: ClusterPlan, node: number): Promise<void> {
  if (await hasEtcd(plan, node)) return;
  startProgram({
    command: ['etcd', '--config-file', configurationFile(plan, node, 'etcd.yml')],
    namespace: namespaceOf(plan, node),
    logFile: path.join(foldersOf(plan, node).log, 'etcd.log'),
  });
}

/** Waits until it is gone: a member that is started while the old one still ends can't open its files. */
export async function killEtcdMember(plan: ClusterPlan, node: number): Promise<void> {
  await killUntilGone(async () => listEtcd(plan, node));
}

export async function startPatroni(plan: ClusterPlan, node: number): Promise<void> {
  if (await hasPatroni(plan, node)) return;
  startProgram({
    command: [patroniProgram(plan), configurationFile(plan, node, 'patroni.yml')],
    namespace: namespaceOf(plan, node),
    logFile: path.join(foldersOf(plan, node).log, 'patroni.log'),
  });
}

/** As if the machine had lost its power, except for its etcd member. */
export async function killDatabase(plan: ClusterPlan, node: number): Promise<void> {
  await killUntilGone(async () => listDatabase(plan, node));
}

export async function killPostmasterOf(plan: ClusterPlan, node: number): Promise<void> {
  const [pid] = (await readFile(path.join(foldersOf(plan, node).data, 'postmaster.pid'), 'utf8')).split('\n');
  const postmaster = (await listPostgres(plan, node)).filter((running) => running.pid === Number(pid));
  if (postmaster.length === 0) throw new Error(`node${node} has no postmaster`);
  signalAll(postmaster, 'SIGKILL');
}

/** Twice, because the first round may miss a process that was just being started. */
async function freeze(list: () => Promise<Running[]>): Promise<void> {
  signalAll(await list(), 'SIGSTOP');
  signalAll(await list(), 'SIGSTOP');
}

export async function freezeDatabase(plan: ClusterPlan, node: number): Promise<void> {
  await freeze(async () => listDatabase(plan, node));
}

/** Its Patroni goes on and sees a server that does not answer. */
export async function freezePostgresOf(plan: ClusterPlan, node: number): Promise<void> {
  await freeze(async () => listPostgres(plan, node));
}

export async function thawDatabase(plan: ClusterPlan, node: number): Promise<void> {
  signalAll(await listDatabase(plan, node), 'SIGCONT');
}

export async function killEverything(plan: ClusterPlan, node: number): Promise<void> {
  await killUntilGone(async () => listProcesses(namespaceOf(plan, node)));
}
