import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { invoicePaidMail } from './invoice-paid.ts';

const invoice = {
  business: 'Tideway Coffee Ltd',
  number: 'KP-000042',
  period: '2026-11',
  total: 1_234_56n,
  paidOn: '2026-12-09',
  link: 'https://dashboard.kelpie.example/live/invoices/01a1e153-2cfd-70e5-b356-495cbe018dac',
};

test('a paid invoice says in its first line what we received, for which month, and that it is paid', () => {
  const mail = rendered(invoicePaidMail(invoice));
  assertWellSet(mail);
  assert.equal(mail.subject, 'Payment received for invoice KP-000042: £1,234.56');
  const words = mail.text.replaceAll(/\s+/g, ' ');
  assert(
    words.startsWith('We received your payment of £1,234.56 for November 2026. Invoice KP-000042 is paid.'),
    words,
  );
  assert(words.includes('9 December 2026'), words);
  assert(mail.text.includes(`View invoice\n${invoice.link}\n`));
  assertWellSet(rendered(invoicePaidMail({ ...invoice, link: null })));
});

test('faults 55: a name is words, whatever is in it', () => {
  assertNamesAreWords(rendered(invoicePaidMail({ ...invoice, business: hostileName })));
});
