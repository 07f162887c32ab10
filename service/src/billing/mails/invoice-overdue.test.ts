import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { invoiceOverdueMail } from './invoice-overdue.ts';

const invoice = {
  business: 'Tideway Coffee Ltd',
  number: 'KP-000042',
  period: '2026-11',
  total: 1_234_56n,
  paid: 0n,
  dueAt: new Date('2026-12-15T00:05:00Z'),
  link: 'https://dashboard.kelpie.example/live/invoices/01a1e153-2cfd-70e5-b356-495cbe018dac',
};

test('an overdue invoice says in its first line how much is missing, for which month, and since when', () => {
  const mail = rendered(invoiceOverdueMail(invoice));
  assertWellSet(mail);
  assert.equal(mail.subject, 'Invoice KP-000042 for November 2026 is overdue: £1,234.56');
  const words = mail.text.replaceAll(/\s+/g, ' ');
  const first =
    'We have not received £1,234.56 of your Kelpie invoice for November 2026. It was due on 15 December 2026.';
  assert(words.startsWith(first), words);
  assert(words.includes('Use KP-000042 as the reference.'), words);
  assertWellSet(rendered(invoiceOverdueMail({ ...invoice, link: null })));
});

test('an overdue invoice of which a part is paid asks for the rest alone', () => {
  const mail = rendered(invoiceOverdueMail({ ...invoice, paid: 1_000_00n }));
  assertWellSet(mail);
  assert.equal(mail.subject, 'Invoice KP-000042 for November 2026 is overdue: £234.56');
  assert.match(mail.text, /£1,000\.00/);
});

test('faults 55: a name is words, whatever is in it', () => {
  assertNamesAreWords(rendered(invoiceOverdueMail({ ...invoice, business: hostileName })));
});
