import { isIPv4, isIPv6 } from 'node:net';

interface Address {
  bits: 32 | 128;
  value: bigint;
}

/** A range of addresses: those that begin with the same bits. */
export interface Network extends Address {
  prefix: number;
}

/** An IPv4 address that is written as IPv6 (::ffff:192.0.2.7), as a socket for both reports it. */
const mapped = 0xffffn;
const mappedPrefix = 96;

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const value = Number(ipv4Value(group));
    return [Math.floor(value / 65_536), value % 65_536];
  });
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, octet) => value * 256n + BigInt(octet), 0n);
}

function ipv6Value(text: string): bigint {
  const [head = [], tail] = text.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - head.length - (tail?.length ?? 0) }, () => 0);
  const groups = tail === undefined ? head : [...head, ...zeros, ...tail];
  return groups.reduce((value, group) => value * 65_536n + BigInt(group), 0n);
}

/** An address as it was written; IPv4 in IPv6 stays IPv6 here. */
function parseWritten(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: ipv4Value(text) };
  return isIPv6(text) ? { bits: 128, value: ipv6Value(text.replace(/%.*$/, '')) } : undefined;
}

/** IPv4 has one form, however it was written. */
function asOneForm({ bits, value, prefix }: Network): Network {
  const isMapped = bits === 128 && prefix >= mappedPrefix && value >> 32n === mapped;
  return isMapped ? { bits: 32, value: value & 0xffff_ffffn, prefix: prefix - mappedPrefix } : { bits, value, prefix };
}

const networkForm = /^([0-9a-f:.]{2,45})(?:\/([0-9]{1,3}))?$/i;

/** A range in CIDR notation, or one address; undefined where it is neither, or names an address within a range. */
export function parseNetwork(text: string): Network | undefined {
  const [, written = '', digits] = networkForm.exec(text) ?? [];
  const address = parseWritten(written);
  if (address === undefined) return undefined;
  const prefix = digits === undefined ? address.bits : Number(digits);
  if (prefix > address.bits) return undefined;
  const rest = (1n << BigInt(address.bits - prefix)) - 1n;
  return (address.value & rest) === 0n ? asOneForm({ ...address, prefix }) : undefined;
}

/** As PostgreSQL reads it. */
export function formatNetwork({ bits, value, prefix }: Network): string {
  const [size, base, between] = bits === 32 ? ([8n, 10, '.'] as const) : ([16n, 16, ':'] as const);
  const groups = Array.from({ length: bits / Number(size) }, (_, place) =>
    ((value >> (BigInt(bits) - size * BigInt(place + 1))) & ((1n << size) - 1n)).toString(base),
  );
  return `${groups.join(between)}/${prefix}`;
}

/** Whether a request's address lies in one of the ranges. What is no address lies in none. */
export function isWithin(networks: readonly Network[], text: string): boolean {
  const written = parseWritten(text);
  if (written === undefined) return false;
  const { bits, value } = asOneForm({ ...written, prefix: written.bits });
  return networks.some((network) => {
    const shift = BigInt(bits - network.prefix);
    return network.bits === bits && network.value >> shift === value >> shift;
  });
}
