import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { invoiceIssuedMail } from './invoice-issued.ts';

const invoice = {
  business: 'Tideway Coffee Ltd',
  number: 'KP-000042',
  period: '2026-11',
  total: 1_234_56n,
  dueAt: new Date('2026-12-15T00:05:00Z'),
  link: 'https://dashboard.kelpie.example/live/invoices/01a1e153-2cfd-70e5-b356-495cbe018dac',
};

test('an invoice says in its first line how much it is, for which month, and when it is due', () => {
  const mail = rendered(invoiceIssuedMail(invoice));
  assertWellSet(mail);
  assert.equal(mail.subject, 'Invoice KP-000042 for November 2026: £1,234.56');
  assert.match(mail.text, /^Your Kelpie invoice for November 2026 is £1,234\.56, due on 15\sDecember\s2026\./);
  assert(mail.text.includes(`View invoice\n${invoice.link}\n`));
  assertWellSet(rendered(invoiceIssuedMail({ ...invoice, link: null })));
});

test('an invoice of 0.00 says that there is nothing to pay', () => {
  const mail = rendered(invoiceIssuedMail({ ...invoice, total: 0n }));
  assertWellSet(mail);
  assert.match(mail.text, /is £0\.00\.\sThere\sis\snothing\sto\spay\./);
  assert.doesNotMatch(mail.text, /December/);
});

test('faults 55: a name is words, whatever is in it', () => {
  assertNamesAreWords(rendered(invoiceIssuedMail({ ...invoice, business: hostileName })));
});
