import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** A network in CIDR notation, parsed. */
type Network = readonly [address: Address, bits: number];

/** All that is assigned for global use. Outside it are old forms that lead to IPv4, such as ::7f00:1 for 127.0.0.1. */
const globalIPv6: Network = [ipaddr.parse('2000::'), 3];

/** A public address in form, but Azure's own service inside every virtual network. */
const azureHost = '168.63.129.16';

function isIn([network, bits]: Network, address: Address): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' ? address.toString() !== azureHost : isIn(globalIPv6, address);
}

/** Says of an IP address whether partners may have us connect to it. */
export type AddressCheck = (address: string) => boolean;

/** Only public addresses pass, and those of `allowed`: networks in CIDR notation. */
export function createAddressCheck(allowed: readonly string[]): AddressCheck {
  const networks = allowed.map(parseNetwork);
  return (text) => {
    // The library also reads forms like 0177.1, which other programs read differently.
    if (isIP(text) === 0) return false;
    const address = ipaddr.parse(text);
    return isPublic(address) || networks.some((network) => isIn(network, address));
  };
}
