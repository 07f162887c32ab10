import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { whyNotUrl } from './endpoint-url.ts';
import { createAddressCheck } from './public-address.ts';

const isPublic = createAddressCheck([]);

/** What IANA's registries of special addresses list as not global, and all IPv6 outside 2000::/3. */
const special = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  ipv6: ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'],
};

/** Node's own lists, as a second opinion. One for each family: it takes IPv4 for IPv6 addresses of ::ffff:0:0/96. */
function blockListOf(family: keyof typeof special): BlockList {
  const list = new BlockList();
  for (const network of special[family]) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const refused = { ipv4: blockListOf('ipv4'), ipv6: blockListOf('ipv6') };

const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff });

function prefixOf(network: string): readonly number[] {
  const [address = ''] = network.split('/');
  return address.split('.').map(Number);
}

/** Any address, and one of the first half of each special network: few random ones would be in any. */
const ipv4 = fc.oneof(
  fc.tuple(byte, byte, byte, byte),
  fc
    .tuple(fc.constantFrom(...special.ipv4.map(prefixOf)), byte)
    .map(([prefix, last]) => prefix.slice(0, 3).concat(last)),
);

const startsOfIPv6 = ['::', '::1', 'fd00:ec2::254', 'fe80::1', 'ff02::1', 'fec0::1', '64:ff9b::1', '64:ff9b:1::1'];
const groupsOfIPv6 = fc
  .tuple(
    fc.constantFrom(0, 0x64, 0x100, 0x2001, 0x2002, 0x2620, 0x2a00, 0x3fff, 0x5f00, 0xfc00, 0xfe80, 0xff02),
    fc.array(group, { minLength: 8, maxLength: 8 }),
  )
  .map(([first, rest]) => rest.with(0, first));
const ipv6 = fc.oneof(
  fc
    .oneof(groupsOfIPv6, fc.array(group, { minLength: 8, maxLength: 8 }))
    .map((groups) => groups.map((one) => one.toString(16)).join(':')),
  fc.constantFrom(...startsOfIPv6),
);

test('an address passes if and only if no registry lists it as special', () => {
  fc.assert(
    fc.property(ipv4, (bytes) => {
      const address = bytes.join('.');
      assert.equal(isPublic(address), !refused.ipv4.check(address, 'ipv4'), address);
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(ipv6, (address) => assert.equal(isPublic(address), !refused.ipv6.check(address, 'ipv6'), address)),
    { numRuns: 5_000 },
  );
});

function octal(value: number): string {
  return `0${value.toString(8)}`;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** The ways in which URLs write an IPv4 address. */
function formsOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    String(whole),
    octal(whole),
    hex(whole).toUpperCase(),
    `${a}.${b}.${c}.${d}`.replaceAll(/\d/g, (digit) => `%3${digit}`),
  ];
}

test('however a URL writes an IPv4 address, it is judged as that address', () => {
  fc.assert(
    fc.property(ipv4, (bytes) => {
      const expected = isPublic(bytes.join('.')) ? null : 'must be a public address';
      for (const form of formsOf(bytes))
        assert.equal(whyNotUrl(`https://${form}/hook`, { mayBePlain: false }), expected, form);
    }),
  );
});

test('an IPv4 address inside an IPv6 address is refused, whichever it is', () => {
  fc.assert(
    fc.property(ipv4, (bytes) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      const dotted = bytes.join('.');
      const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
      const forms = [
        `::ffff:${dotted}`,
        `::ffff:${groups}`,
        `::${dotted}`,
        `::ffff:0:${dotted}`,
        `64:ff9b::${dotted}`,
        `64:ff9b:1::${dotted}`,
        `2002:${groups}::1`,
      ];
      for (const form of forms) {
        assert.notEqual(isIP(form), 0, form);
        assert.equal(isPublic(form), false, form);
        assert.notEqual(whyNotUrl(`https://[${form}]/hook`, { mayBePlain: false }), null, form);
      }
    }),
  );
});

test('networks that are allowed pass, and their neighbours do not', () => {
  const check = createAddressCheck(['127.0.0.0/8', '10.1.2.3', 'fd00::/8']);
  for (const address of ['127.0.0.1', '127.255.255.255', '10.1.2.3', 'fd00::1', '1.1.1.1', '2606:4700::1111'])
    assert.equal(check(address), true, address);
  for (const address of [
    '128.0.0.0.1',
    '10.1.2.4',
    'fc00::1',
    '::1',
    '::ffff:127.0.0.1',
    '0177.0.0.1',
    'localhost',
    '',
  ])
    assert.equal(check(address), false, address);
});

test('an endpoint is an https URL without credentials or fragment, on a port that is free to use', () => {
  const right = [
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ];
  for (const url of right) assert.equal(whyNotUrl(url, { mayBePlain: false }), null, url);
  assert.equal(whyNotUrl('http://example.com', { mayBePlain: true }), null);
  const wrong: readonly [url: string, rule: RegExp][] = [
    ['http://example.com', /https/],
    ['ftp://example.com', /https/],
    ['example.com', /URL/],
    ['https://exa mple.com', /URL/],
    [' https://example.com', /URL/],
    ['https://', /URL/],
    [`https://example.com/${'x'.repeat(500)}`, /at most 500/],
    ['https://user@example.com', /password/],
    ['https://:secret@example.com', /password/],
    ['https://example.com/#', /fragment/],
    ['https://example.com:25', /port/],
    ['https://example.com:80', /port/],
    ['https://example.com:0', /port/],
    ['https://localhost', /public/],
    ['https://kubernetes.', /public/],
    ['https://127.1', /public/],
    ['https://[::1]', /public/],
  ];
  for (const [url, rule] of wrong) assert.match(whyNotUrl(url, { mayBePlain: false }) ?? '', rule, url);
  assert.equal(whyNotUrl('https://127.0.0.1:4000', { mayBePlain: false, allowed: ['127.0.0.0/8'] }), null);
});
