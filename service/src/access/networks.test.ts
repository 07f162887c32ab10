import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNetwork, isWithin, parseNetwork, type Network } from './networks.ts';

function network(text: string): Network {
  const parsed = parseNetwork(text);
  assert(parsed !== undefined, text);
  return parsed;
}

for (const [text, form] of [
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:db8::', '2001:db8:0:0:0:0:0:0/128'],
  ['2001:DB8::/32', '2001:db8:0:0:0:0:0:0/32'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4:5:6:c000:207/128'],
  ['::/0', '0:0:0:0:0:0:0:0/0'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['::FFFF:c000:200/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
] as const)
  test(`${text} is the network ${form}`, () => assert.equal(formatNetwork(network(text)), form));

test('a network is refused if it is not an address or a range, or has bits set beyond its prefix', () => {
  for (const text of [
    '',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.07',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/-1',
    '192.0.2.0/255.255.255.0',
    ' 192.0.2.0/24',
    '192.0.2.0/24\n',
    '192.0.2.7/24',
    '192.0.2.1/0',
    '2001:db8::1/64',
    '2001:db8::/129',
    '2001:db8:::/32',
    '1:2:3:4:5:6:7:8:9',
    '::ffff:192.0.2.7/120',
    'fe80::1%eth0',
    '192.0.2.0/24,192.0.3.0/24',
    'f'.repeat(10_000),
  ])
    assert.equal(parseNetwork(text), undefined, text.slice(0, 60));
});

test('an address lies in a network if it begins with the same bits, however it is written', () => {
  for (const [within, address, expected] of [
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
    ['192.0.2.0/24', '::ffff:c000:209', true],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    // Every IPv6 address is not every address.
    ['::/0', '203.0.113.9', false],
    ['::/0', '::ffff:203.0.113.9', false],
    ['::ffff:0:0/96', '203.0.113.9', true],
    // The same number, in the other family.
    ['::192.0.2.7', '192.0.2.7', false],
    ['2001:db8:1::/48', '2001:db8:1:ffff::9', true],
    ['2001:db8:1::/48', '2001:db8:2::', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['192.0.2.0/24', '', false],
    ['192.0.2.0/24', 'unknown', false],
  ] as const)
    assert.equal(isWithin([network(within)], address), expected, `${address} in ${within}`);
  assert(isWithin([network('192.0.2.0/24'), network('2001:db8::/32')], '2001:db8::1'));
  assert(!isWithin([], '192.0.2.1'));
});
