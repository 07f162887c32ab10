import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { addressesChangedMail } from './addresses-changed.ts';

const change = {
  business: 'Tideway',
  changed: [
    { label: 'Contact email', from: 'ops@tideway.example', to: 'mallory@elsewhere.example' },
    { label: 'Billing email', from: null, to: 'bills@tideway.example' },
  ],
  by: 'ada@tideway.example',
  at: new Date('2026-11-15T10:20:30Z'),
  dashboardUrl: 'https://dashboard.kelpie.example',
};

test('that an address changed says which, before and after, by whom and when', () => {
  const mail = rendered(addressesChangedMail(change));
  assertWellSet(mail);
  assert.match(mail.text, /^ada@tideway\.example changed the contact email and the billing email of\sTideway\.$/m);
  for (const line of [
    'Contact email: mallory@elsewhere.example (before: ops@tideway.example)',
    'Billing email: bills@tideway.example (before: none)',
    'Changed by: ada@tideway.example',
    'Changed on: 15 November 2026 at 10:20 UTC',
  ])
    assert(mail.text.includes(`\n${line}\n`), line);
});

test('faults 55: the name of a business is words, whatever is in it', () => {
  assertNamesAreWords(rendered(addressesChangedMail({ ...change, business: hostileName })));
});
