// The plan of a cluster is kept in its folder, so that any command of ours finds a cluster that another one started.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { textAt, valueAt } from '../json.ts';
import { startOf } from '../stack-claim.ts';
import type { ClusterPlan } from './plan.ts';

const parent = '/var/tmp';
const prefix = 'kelpie-cluster-';

export function newFolder(id: string): string {
  return path.join(parent, `${prefix}${id}`);
}

function numberAt(json: unknown, name: string): number {
  const value = valueAt(json, name);
  if (typeof value !== 'number') throw new Error(`${name} is not a number`);
  return value;
}

function fileOf(folder: string): string {
  return path.join(folder, 'cluster.json');
}

export async function storePlan(plan: ClusterPlan): Promise<void> {
  const owner = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
  await writeFile(fileOf(plan.folder), `${JSON.stringify({ ...plan, owner })}\n`, { mode: 0o600 });
}

export async function readPlan(folder: string): Promise<ClusterPlan & { isAbandoned: boolean }> {
  const json: unknown = JSON.parse(await readFile(fileOf(folder), 'utf8'));
  const password = (name: string): string => textAt(json, `passwords.${name}`);
  return {
    folder,
    network: numberAt(json, 'network'),
    proxyPort: numberAt(json, 'proxyPort'),
    passwords: { superuser: password('superuser'), replication: password('replication'), patroni: password('patroni') },
    isAbandoned: startOf(numberAt(json, 'owner.pid')) !== textAt(json, 'owner.startedAt'),
  };
}

/** Clusters whose owner was killed before it could remove them. */
export async function listAbandoned(): Promise<ClusterPlan[]> {
  const folders = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  const plans = await Promise.all(
    folders.map(async (name) => readPlan(path.join(parent, name)).catch(() => undefined)),
  );
  return plans.filter((plan) => plan !== undefined && plan.isAbandoned).filter((plan) => plan !== undefined);
}
