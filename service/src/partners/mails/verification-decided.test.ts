import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { verificationDecidedMail } from './verification-decided.ts';

const link = 'https://dashboard.kelpie.example/verification';

for (const { decision, first, next } of [
  { decision: 'approved', first: 'Tideway is verified, and can now pay with real money.', next: /live API key/ },
  { decision: 'rejected', first: 'Tideway could not be verified', next: /No money has moved/ },
  { decision: 'more_needed', first: 'Something is missing before Tideway can be verified.', next: /what it is/ },
] as const) {
  test(`a verification that is ${decision} is said in the first line, and what to do next below`, () => {
    const mail = rendered(verificationDecidedMail({ business: 'Tideway', decision, link }));
    assertWellSet(mail);
    assert(mail.text.startsWith(first), mail.text);
    assert.match(mail.text, next);
    assert(mail.text.includes(`\n${link}\n`));
    assertWellSet(rendered(verificationDecidedMail({ business: 'Tideway', decision, link: null })));
  });

  test(`faults 55: a name is words, whatever is in it (${decision})`, () => {
    assertNamesAreWords(rendered(verificationDecidedMail({ business: hostileName, decision, link })));
  });
}
