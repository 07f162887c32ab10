// Each node has a network namespace with two cables: one to a bridge that only the nodes share, one to this machine.
import { existsSync } from 'node:fs';
import { ClusterError } from '../postgres/cluster.ts';
import { addressesOf, nodes, type ClusterPlan } from './plan.ts';
import { runCommand } from './run-command.ts';

type Network = Pick<ClusterPlan, 'network'>;

export function namespaceOf({ network }: Network, node: number): string {
  return `kelpie-${network}-${node}`;
}

function bridgeOf({ network }: Network): string {
  return `kelpie-${network}`;
}

/** The end of the cable on this machine. The kernel allows 15 characters. */
function cableOf({ network }: Network, node: number, to: 'peers' | 'clients'): string {
  return `kelpie${network}n${node}${to.slice(0, 1)}`;
}

async function ip(command: string): Promise<string> {
  return runCommand('ip', command.split(' '));
}

const mostNetworks = 100;

/** Takes a network that no other cluster on this machine has: only one of several that try creates its bridge. */
export async function claimNetwork(): Promise<number> {
  for (let network = 0; network < mostNetworks; network += 1) {
    if (existsSync(`/sys/class/net/${bridgeOf({ network })}`)) continue;
    try {
      await ip(`link add ${bridgeOf({ network })} type bridge`);
      return network;
    } catch (error) {
      if (error instanceof Error && error.message.includes('File exists')) continue;
      throw new ClusterError(
        `The cluster needs root and network namespaces (ip netns, veth, bridge): ${String(error)}`,
        {
          cause: error,
        },
      );
    }
  }
  throw new ClusterError('Too many clusters are running. Stop one with: npm run cluster -- down');
}

export async function connectNodes(plan: Network): Promise<void> {
  await ip(`link set ${bridgeOf(plan)} up`);
  for (const node of nodes) {
    const namespace = namespaceOf(plan, node);
    const { peers, clients, host } = addressesOf(plan, node);
    const [toPeers, toClients] = [cableOf(plan, node, 'peers'), cableOf(plan, node, 'clients')];
    await ip(`netns add ${namespace}`);
    await ip(`-n ${namespace} link set lo up`);
    await ip(`link add ${toPeers} type veth peer name peers netns ${namespace}`);
    await ip(`link set ${toPeers} master ${bridgeOf(plan)} up`);
    await ip(`-n ${namespace} addr add ${peers}/24 dev peers`);
    await ip(`-n ${namespace} link set peers up`);
    await ip(`link add ${toClients} type veth peer name clients netns ${namespace}`);
    await ip(`addr add ${host}/30 dev ${toClients}`);
    await ip(`link set ${toClients} up`);
    await ip(`-n ${namespace} addr add ${clients}/30 dev clients`);
    await ip(`-n ${namespace} link set clients up`);
  }
}

/** Unplugs a node from the bridge: packets between it and its peers are lost without a word, as in a broken switch. */
export async function unplug(plan: Network, node: number): Promise<void> {
  await ip(`link set ${cableOf(plan, node, 'peers')} nomaster`);
}

export async function plugIn(plan: Network, node: number): Promise<void> {
  await ip(`link set ${cableOf(plan, node, 'peers')} master ${bridgeOf(plan)}`);
}

export function isUnplugged(plan: Network, node: number): boolean {
  return !existsSync(`/sys/class/net/${cableOf(plan, node, 'peers')}/master`);
}

export function namespaceExists(plan: Network, node: number): boolean {
  return existsSync(`/run/netns/${namespaceOf(plan, node)}`);
}

/** A cable goes with its namespace. What is left of an interrupted start is removed by name. */
export async function removeNetwork(plan: Network): Promise<void> {
  for (const node of nodes) {
    if (namespaceExists(plan, node)) await ip(`netns del ${namespaceOf(plan, node)}`);
    for (const to of ['peers', 'clients'] as const) await removeLink(cableOf(plan, node, to));
  }
  await removeLink(bridgeOf(plan));
}

async function removeLink(name: string): Promise<void> {
  await ip(`link del ${name}`).catch((error: unknown) => {
    // The kernel may have removed it between a look and this.
    if (existsSync(`/sys/class/net/${name}`)) throw error;
  });
}
