import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailboxOf } from './mailbox.ts';

for (const [address, mailbox] of [
  ['ada@example.com', 'ada@example.com'],
  ['Ada+invoices@Example.com', 'ada@example.com'],
  ['ada+1+2@example.com', 'ada@example.com'],
  ['ada.lovelace@example.com', 'ada.lovelace@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['A.da@GoogleMail.com', 'ada@gmail.com'],
] as const)
  test(`${address} counts as ${mailbox}`, () => {
    assert.equal(mailboxOf(address), mailbox);
  });
