import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { invitationMail } from './invitation.ts';
import { keyCreatedMail } from './key-created.ts';
import { keyRevokedMail } from './key-revoked.ts';
import { signInCodeMail } from './sign-in-code.ts';
import { signUpCodeMail } from './sign-up-code.ts';

const invitation = {
  invitedBy: 'ada@tideway.example',
  business: 'Tideway',
  role: 'admin',
  link: 'https://dashboard.kelpie.example/invitations/0a1b2c3d4e5f',
} as const;

const change = {
  business: 'Tideway',
  environment: 'live',
  prefix: 'kp_live_0a1b2c3d',
  label: 'Shop',
  by: 'ada@tideway.example',
  at: new Date('2026-11-15T10:20:30Z'),
  keysUrl: 'https://dashboard.kelpie.example/keys',
} as const;

test('a code to sign in says how long it is good for, and what to do where nobody asked for it', () => {
  const mail = rendered(signInCodeMail({ code: '482915' }));
  assertWellSet(mail);
  assert.match(mail.text, /^ {4}482915$/m);
  assert.match(mail.text, /10 minutes/);
  assert.match(mail.text, /If it was not you who asked for it, do nothing/);
});

test('what a locked screen shows of a mail with a code does not hold the code', () => {
  const { subject, text } = rendered(signInCodeMail({ code: '482915' }));
  assert.doesNotMatch(`${subject} ${text.slice(0, 80)}`, /\d{6}/);
});

test('a code to sign up says that it opens an account, and to who has one that it is another', () => {
  for (const hasAccount of [false, true]) {
    const mail = rendered(signUpCodeMail({ code: '482915', hasAccount }));
    assertWellSet(mail);
    assert.match(mail.text, /^ {4}482915$/m);
    assert.doesNotMatch(`${mail.subject} ${mail.text.slice(0, 80)}`, /\d{6}/);
    assert.equal(mail.text.includes('You have an account already'), hasAccount);
  }
});

test('an invitation says who invites to which business, as what, and where to accept', () => {
  const mail = rendered(invitationMail(invitation));
  assertWellSet(mail);
  assert.match(mail.text, /^ada@tideway\.example invites you to join Tideway on Kelpie as an admin\.$/m);
  assert(mail.text.includes(`\n${invitation.link}\n`));
  assert.match(rendered(invitationMail({ ...invitation, role: 'viewer' })).text, /as a viewer\.\n[^]*changes nothing/);
});

for (const [done, compose] of [
  ['created', keyCreatedMail],
  ['revoked', keyRevokedMail],
] as const) {
  test(`that a key was ${done} says which, of which environment, by whom and when`, () => {
    const mail = rendered(compose(change));
    assertWellSet(mail);
    assert.equal(mail.subject, `A live API key of Tideway was ${done}`);
    assert(mail.text.startsWith(`ada@tideway.example ${done} a live API key of Tideway.\n`));
    for (const fact of [
      'Key: kp_live_0a1b2c3d…',
      'Label: Shop',
      'Environment: live',
      'When: 15 November 2026 at 10:20 UTC',
    ])
      assert(mail.text.includes(`\n${fact}\n`), fact);
    const short = rendered(compose({ ...change, label: null, keysUrl: null }));
    assertWellSet(short);
    assert.doesNotMatch(short.text, /Label|https?:/);
  });
}

test('faults 55: a name is words, whatever is in it', () => {
  assertNamesAreWords(rendered(invitationMail({ ...invitation, business: hostileName })));
  assertNamesAreWords(rendered(invitationMail({ ...invitation, invitedBy: hostileName })));
  for (const compose of [keyCreatedMail, keyRevokedMail]) {
    assertNamesAreWords(rendered(compose({ ...change, label: hostileName })));
    assertNamesAreWords(rendered(compose({ ...change, business: hostileName, by: hostileName })));
  }
});
