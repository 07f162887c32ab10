import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../project.ts';
import { fillTemplate } from './fill-template.ts';
import { runCommand } from './run-command.ts';
import { addressesOf, certificatesOf, foldersOf, nodeName, nodes, repositoryOf, type ClusterPlan } from './plan.ts';

/** The files that production uses, too. */
const templateFolder = path.join(projectFolder, 'deploy/cluster');

async function readTemplate(templates: string, name: string): Promise<string> {
  return readFile(path.join(templates, name), 'utf8');
}

export function configurationFile(plan: ClusterPlan, node: number, name: NodeFile): string {
  return path.join(foldersOf(plan, node).node, name);
}

/** Beside the configuration, because the user that runs it need not reach the project. */
export function patroniProgram({ folder }: ClusterPlan): string {
  return path.join(folder, 'patroni');
}

export function proxyFile({ folder }: ClusterPlan): string {
  return path.join(folder, 'haproxy.cfg');
}

const nodeFiles = ['patroni.yml', 'etcd.yml', 'pgbackrest.conf'] as const;
type NodeFile = (typeof nodeFiles)[number];

/** What each template of a node needs. */
export function valuesOf(plan: ClusterPlan, node: number): Readonly<Record<NodeFile, Record<string, string>>> {
  const { data, wal, run, log, etcd } = foldersOf(plan, node);
  const { peers, peersNetwork, clientsNetwork } = addressesOf(plan, node);
  const eachPeer = (form: (address: string, name: string) => string): string =>
    nodes.map((each) => form(addressesOf(plan, each).peers, nodeName(each))).join(',');
  const own = { NODE_NAME: nodeName(node), NODE_ADDRESS: peers };
  return {
    'patroni.yml': {
      ...own,
      ETCD_HOSTS: eachPeer((address) => `${address}:2379`),
      DATA_FOLDER: data,
      WAL_FOLDER: wal,
      RUN_FOLDER: run,
      CLUSTER_NETWORK: peersNetwork,
      CLIENT_NETWORK: clientsNetwork,
      PGBACKREST_CONFIG: configurationFile(plan, node, 'pgbackrest.conf'),
      CERTIFICATES: certificatesOf(plan),
      PATRONI_PASSWORD: plan.passwords.patroni,
      SUPERUSER_PASSWORD: plan.passwords.superuser,
      REPLICATION_PASSWORD: plan.passwords.replication,
    },
    'etcd.yml': {
      ...own,
      ETCD_FOLDER: etcd,
      ETCD_MEMBERS: eachPeer((address, name) => `${name}=http://${address}:2380`),
    },
    'pgbackrest.conf': { REPOSITORY: repositoryOf(plan), DATA_FOLDER: data, RUN_FOLDER: run, LOG_FOLDER: log },
  };
}

export function proxyMetricsAddress(plan: ClusterPlan): string {
  return `${addressesOf(plan, 1).host}:8405`;
}

export function proxyValuesOf(plan: ClusterPlan): Record<string, string> {
  const addresses = nodes.map((node): [string, string] => [`NODE${node}_ADDRESS`, addressesOf(plan, node).clients]);
  return {
    PROXY_ADDRESS: `127.0.0.1:${plan.proxyPort}`,
    // This cluster's own, so that two on one machine don't meet.
    PROXY_METRICS_ADDRESS: proxyMetricsAddress(plan),
    ...Object.fromEntries(addresses),
  };
}

interface Owner {
  uid: number;
  gid: number;
}

/** By the script that production uses. Each node's names are the addresses by which HAProxy and the service reach it. */
async function makeCertificates(plan: ClusterPlan, owner: Owner, templates: string): Promise<void> {
  const folder = certificatesOf(plan);
  for (const node of nodes) {
    const names = `DNS:localhost,IP:127.0.0.1,IP:${addressesOf(plan, node).clients}`;
    await runCommand(path.join(templates, 'certificates.sh'), [folder, nodeName(node), names]);
    await chown(path.join(folder, `${nodeName(node)}.key`), owner.uid, owner.gid);
  }
  await chmod(folder, 0o755);
}

/** Writes the files of all three nodes and of HAProxy, for the user that runs them. */
export async function writeConfiguration(plan: ClusterPlan, owner: Owner, templates = templateFolder): Promise<void> {
  const createFolder = async (folder: string): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chown(folder, owner.uid, owner.gid);
  };
  // The files have passwords.
  const write = async (file: string, text: string, mode = 0o600): Promise<void> => {
    await writeFile(file, text, { mode });
    await chown(file, owner.uid, owner.gid);
  };
  await createFolder(plan.folder);
  await createFolder(repositoryOf(plan));
  for (const node of nodes) {
    const { node: own, data, etcd, run, log } = foldersOf(plan, node);
    for (const folder of [own, data, etcd, run, log]) await createFolder(folder);
    for (const name of nodeFiles)
      await write(
        configurationFile(plan, node, name),
        fillTemplate(await readTemplate(templates, name), valuesOf(plan, node)[name]),
      );
  }
  await makeCertificates(plan, owner, templates);
  await write(proxyFile(plan), fillTemplate(await readTemplate(templates, 'haproxy.cfg'), proxyValuesOf(plan)));
  await write(patroniProgram(plan), await readTemplate(templates, 'patroni.py'), 0o700);
  await chmod(plan.folder, 0o711);
}
