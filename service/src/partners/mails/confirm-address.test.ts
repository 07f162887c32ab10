import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWellSet, rendered } from '../../../test/platform/mail/well-set.ts';
import { confirmAddressMail } from './confirm-address.ts';

test('the email says what will go to the address, for which business, and what to do if it was not expected', () => {
  const mail = rendered(
    confirmAddressMail({
      business: 'Harbour Goods Ltd',
      gets: 'alerts and invoices',
      link: 'https://dashboard.kelpie.example/confirm-address#token',
    }),
  );
  assertWellSet(mail);
  assert.equal(mail.subject, 'Confirm this email address');
  assert.match(mail.text, /^Confirm that this address receives alerts and invoices for Harbour Goods\nLtd\.\n/);
  assert.match(mail.text, /https:\/\/dashboard\.kelpie\.example\/confirm-address#token/);
  assert.match(mail.text, /If you don't expect this, do nothing\./);
});
