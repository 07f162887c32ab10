import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { verificationDecidedMail } from './verification-decided.ts';

const dashboardUrl = 'https://dashboard.kelpie.example';
const continueUrl = 'https://bank.example/verify/42';
const links = { dashboardUrl, continueUrl };

for (const { decision, first, next, link } of [
  {
    decision: 'approved',
    first: 'Tideway is verified and can send live payouts.',
    next: /live API key/,
    link: `Create API key\n${dashboardUrl}/live/keys`,
  },
  {
    decision: 'rejected',
    first: 'The bank could not verify Tideway',
    next: /contact support/,
    link: `View verification\n${dashboardUrl}/live/compliance`,
  },
  {
    decision: 'more_needed',
    first: 'The bank needs more information to verify Tideway.',
    next: /lists what is missing/,
    link: `Continue verification\n${continueUrl}`,
  },
] as const) {
  test(`a verification that is ${decision} says so in the first line, then what to do, and links there`, () => {
    const mail = rendered(verificationDecidedMail({ business: 'Tideway', decision, ...links }));
    assertWellSet(mail);
    assert(mail.text.startsWith(first), mail.text);
    assert.match(mail.text.replaceAll(/\s+/g, ' '), next);
    assert(mail.text.includes(`\n${link}\n`), mail.text);
    const without = { dashboardUrl: null, continueUrl: null };
    assertWellSet(rendered(verificationDecidedMail({ business: 'Tideway', decision, ...without })));
  });

  test(`faults 55: a name is words, whatever is in it (${decision})`, () => {
    assertNamesAreWords(rendered(verificationDecidedMail({ business: hostileName, decision, ...links })));
  });
}

test('where the bank has no page to continue on, the email leads to the compliance page', () => {
  const decided = { business: 'Tideway', decision: 'more_needed', dashboardUrl, continueUrl: null } as const;
  const mail = rendered(verificationDecidedMail(decided));
  assert(mail.text.includes(`\n${dashboardUrl}/live/compliance\n`), mail.text);
});
