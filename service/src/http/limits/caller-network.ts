import { isIPv4, isIPv6 } from 'node:net';

const mappedForm = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const ownGroups = 4;
const allGroups = 8;

/** An address in IPv4 is one caller. In IPv6 one caller has 2^64 of them, and counts by what they share. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return 'none';
  return mappedForm.exec(address)?.[1] ?? `${firstGroups(address).join(':')}::/64`;
}

/** The network that an address shares with others, in the form that PostgreSQL prints; null where there is no address. */
export function sharedNetworkOf(address: string): string | null {
  const network = networkOf(address);
  if (network === 'none') return null;
  if (isIPv4(network)) return network.replace(/\d+$/, '0/24');
  const groups = network.replace('::/64', '').replace(/(:0)+$/, '');
  return groups === '0' ? '::/64' : `${groups}::/64`;
}

function firstGroups(address: string): string[] {
  const [head = [], tail] = address.replace(/%.*$/, '').split('::').map(groupsOf);
  const zeros = allGroups - head.length - (tail?.length ?? 0);
  const groups = tail === undefined ? head : [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return groups.slice(0, ownGroups).map((group) => Number.parseInt(group, 16).toString(16));
}

/** An address in IPv4 at the end stands for two groups, which lie behind the four that count. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
