import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Ranges of addresses that only one's own network can reach. */
const ownRanges = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** False for public addresses, for 0.0.0.0 and ::, which are all addresses of a machine, and for what is no address. */
export function isOwnAddress(text: string): boolean {
  return isIP(text) !== 0 && ownRanges.has(ipaddr.process(text).range());
}

/** Of a network in CIDR notation: whether it is wholly one's own. */
export function isOwnNetwork(cidr: string): boolean {
  if (!ipaddr.isValidCIDR(cidr)) return false;
  const family = ipaddr.parseCIDR(cidr)[0].kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const ends = [family.networkAddressFromCIDR(cidr), family.broadcastAddressFromCIDR(cidr)];
  return ends.every((end) => ownRanges.has(end.range()));
}
