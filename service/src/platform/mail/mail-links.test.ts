import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVersionedDigest } from '../keyed-digest.ts';
import { newId } from '../ids.ts';
import { createMailLinks } from './mail-links.ts';

const now = new Date('2026-11-16T12:00:00Z');
const clock = { now: () => now };
const dayMs = 24 * 3_600_000;
const pageOf = (token: string): string => `https://dashboard.kelpie.example/not-me#${token}`;
const digestOf = (byte: number, use: string) => createVersionedDigest(new Map([[1, Buffer.alloc(32, byte)]]), use);
const links = createMailLinks(digestOf(1, 'freeze links'), pageOf);
const person = { partnerId: newId(clock), mailId: newId(clock), email: 'ada@tideway.example' };
const url = links.linkFor(person);
const [page = '', token = ''] = url.split('#', 2);

test('a link leads to a page, with all that it holds in the fragment, and no address in it', () => {
  assert.equal(page, 'https://dashboard.kelpie.example/not-me');
  assert.doesNotMatch(Buffer.from(token, 'base64url').toString('latin1'), /tideway/);
});

test('a link is for one person and one partner, for seven days', () => {
  const read = links.read(token, now);
  assert.equal(read?.partnerId, person.partnerId);
  assert.deepEqual([read?.isFor(person.email), read?.isFor('mallory@tideway.example')], [true, false]);
  assert.notEqual(links.read(token, new Date(now.getTime() + 7 * dayMs - 1)), null);
  assert.equal(links.read(token, new Date(now.getTime() + 7 * dayMs)), null);
});

test('a link that we did not sign is none, whatever was changed in it', () => {
  const bytes = Buffer.from(token, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(links.read(changed.toString('base64url'), now), null, `byte ${at}`);
  }
  for (const other of ['', 'none', token.slice(4), `${token}AAAA`]) assert.equal(links.read(other, now), null, other);
  for (const foreign of [digestOf(2, 'freeze links'), digestOf(1, 'address links')])
    assert.equal(createMailLinks(foreign, pageOf).read(token, now), null);
});
