/** The three nodes. Each runs PostgreSQL, its Patroni and one etcd member. */
export const nodes = [1, 2, 3] as const;

/** All that names a cluster: from it, every process finds the cluster's files, addresses and namespaces. */
export interface ClusterPlan {
  /** Has every file of the cluster, and is removed with it. */
  folder: string;
  /** Tells apart the networks of clusters on one machine. */
  network: number;
  /** Where HAProxy listens, on 127.0.0.1. */
  proxyPort: number;
  passwords: { superuser: string; replication: string; patroni: string };
}

export function nodeName(node: number): string {
  return `node${node}`;
}

interface NodeFolders {
  node: string;
  data: string;
  /** A disk of its own is mounted here. */
  walDisk: string;
  wal: string;
  etcd: string;
  /** Sockets, locks and passwords. */
  run: string;
  log: string;
}

export function foldersOf({ folder }: Pick<ClusterPlan, 'folder'>, node: number): NodeFolders {
  const own = `${folder}/${nodeName(node)}`;
  return {
    node: own,
    data: `${own}/data`,
    walDisk: `${own}/disk`,
    // Not the root of the disk, where a file system keeps a folder of its own: initdb wants an empty one.
    wal: `${own}/disk/wal`,
    etcd: `${own}/etcd`,
    run: `${own}/run`,
    log: `${own}/log`,
  };
}

export function repositoryOf({ folder }: Pick<ClusterPlan, 'folder'>): string {
  return `${folder}/backups`;
}

/**
 * 198.18.0.0/15 is set aside for tests of networks, so no machine is in it. Nodes talk to each other in the first half, and
 * with HAProxy and the service in the second: a node can lose its peers and keep its clients.
 */
export function addressesOf({ network }: Pick<ClusterPlan, 'network'>, node: number) {
  return {
    peers: `198.18.${network}.${node}`,
    peersNetwork: `198.18.${network}.0/24`,
    clients: `198.19.${network}.${4 * node + 2}`,
    clientsNetwork: `198.19.${network}.0/24`,
    /** This machine, as the node sees it. */
    host: `198.19.${network}.${4 * node + 1}`,
  };
}

/** The authority that vouches for the nodes, and what it made for each. */
export function certificatesOf({ folder }: Pick<ClusterPlan, 'folder'>): string {
  return `${folder}/certificates`;
}

function superuserUrl(plan: ClusterPlan, address: string): string {
  const verified = `sslmode=verify-full&sslrootcert=${certificatesOf(plan)}/ca.crt`;
  return `postgres://postgres:${plan.passwords.superuser}@${address}/postgres?${verified}`;
}

/** The superuser's address of one node, whatever its role. */
export function superuserUrlOf(plan: ClusterPlan, node: number): string {
  return superuserUrl(plan, `${addressesOf(plan, node).clients}:5432`);
}

/** The superuser's address of the leader, through HAProxy. */
export function adminUrlOf(plan: ClusterPlan): string {
  return superuserUrl(plan, `127.0.0.1:${plan.proxyPort}`);
}
