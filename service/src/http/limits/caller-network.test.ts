import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf, sharedNetworkOf } from './caller-network.ts';

for (const [address, network] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['not an address', 'none'],
  ['', 'none'],
] as const)
  test(`${address === '' ? 'no address' : address} counts as ${network}`, () => {
    assert.equal(networkOf(address), network);
  });

for (const [address, network] of [
  ['192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.0/24'],
  ['2001:db8::1', '2001:db8::/64'],
  ['2001:0:0:5:1:2:3:4', '2001:0:0:5::/64'],
  ['::1', '::/64'],
  ['not an address', null],
] as const)
  test(`${address} is recorded as ${network}`, () => {
    assert.equal(sharedNetworkOf(address), network);
  });
