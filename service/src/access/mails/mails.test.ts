import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { confirmActMail } from './confirm-act.ts';
import { invitationMail } from './invitation.ts';
import { fullAuthority } from '../key-authority.ts';
import { keyCreatedMail } from './key-created.ts';
import { keyExpiringMail } from './key-expiring.ts';
import { keyRevokedMail } from './key-revoked.ts';
import { liveFrozenMail } from './live-frozen.ts';
import { memberInvitedMail, memberRemovedMail, memberRestoredMail, roleChangedMail } from './member-change.ts';
import { newBrowserMail } from './new-browser.ts';
import { keyRolledMail } from './key-rolled.ts';
import type { KeyChange } from './key-change.ts';
import { signInCodeMail } from './sign-in-code.ts';
import { signUpCodeMail } from './sign-up-code.ts';

const invitation = {
  invitedBy: 'ada@tideway.example',
  business: 'Tideway',
  role: 'admin',
  link: 'https://dashboard.kelpie.example/invitations/0a1b2c3d4e5f',
} as const;

const change: KeyChange = {
  ...fullAuthority,
  business: 'Tideway',
  environment: 'live',
  prefix: 'kp_live_0a1b2c3d',
  label: 'Shop',
  by: 'ada@tideway.example',
  at: new Date('2026-11-15T10:20:30Z'),
  dashboardUrl: 'https://dashboard.kelpie.example',
};

const rolledMail = (of: KeyChange) => keyRolledMail(of, { prefix: 'kp_live_4d3c2b1a', expiresAt: of.at });

const origin = { network: '203.0.113.0/24', browser: 'Firefox on Windows' };
const unknownOrigin = { network: null, browser: null };

test('a code to sign in says how long it is good for, and what to do where nobody asked for it', () => {
  const mail = rendered(signInCodeMail({ code: '482915', ...origin }));
  assertWellSet(mail);
  assertWellSet(rendered(signInCodeMail({ code: '482915', ...unknownOrigin })));
  assert.match(mail.text, /^Browser: Firefox on Windows$/m);
  assert.match(mail.text, /^Network: 203\.0\.113\.0\/24$/m);
  assert.match(mail.text, /^ {4}482915$/m);
  assert.match(mail.text, /10 minutes/);
  assert.match(mail.text, /If you didn't request this code, ignore this email/);
});

test('what a locked screen shows of a mail with a code does not hold the code', () => {
  const { subject, text } = rendered(signInCodeMail({ code: '482915', ...origin }));
  assert.doesNotMatch(`${subject} ${text.slice(0, 80)}`, /\d{6}/);
});

test('a sign-in from a new browser says when and from where, and what to do about it', () => {
  const at = new Date('2026-11-15T10:20:30Z');
  const mail = rendered(newBrowserMail({ ...origin, at }));
  assertWellSet(mail);
  for (const line of [
    'Signed in on: 15 November 2026 at 10:20 UTC',
    'Browser: Firefox on Windows',
    'Network: 203.0.113.0/24',
  ])
    assert(mail.text.includes(`\n${line}\n`), mail.text);
  assertWellSet(rendered(newBrowserMail({ ...unknownOrigin, at })));
});

test('a code to sign up says that it opens an account, and to who has one that it is another', () => {
  for (const hasAccount of [false, true]) {
    const mail = rendered(signUpCodeMail({ code: '482915', hasAccount }));
    assertWellSet(mail);
    assert.match(mail.text, /^ {4}482915$/m);
    assert.doesNotMatch(`${mail.subject} ${mail.text.slice(0, 80)}`, /\d{6}/);
    assert.equal(mail.text.includes('You already have a Kelpie account'), hasAccount);
  }
});

test('an invitation says who invites to which business, as what, and where to accept', () => {
  const mail = rendered(invitationMail(invitation));
  assertWellSet(mail);
  assert.match(mail.text, /^ada@tideway\.example invited you to join Tideway on Kelpie as an admin\.$/m);
  assert(mail.text.includes(`\n${invitation.link}\n`));
  assert.match(rendered(invitationMail({ ...invitation, role: 'viewer' })).text, /as a viewer\.\n[^]*cannot change/);
});

for (const [done, compose, subject, lead] of [
  ['created', keyCreatedMail, 'New live API key for Tideway', 'created a live API key for Tideway.'],
  ['rolled', rolledMail, 'A live API key for Tideway has a new secret', 'rolled a live API key for Tideway.'],
  ['revoked', keyRevokedMail, 'A live API key for Tideway was revoked', 'revoked a live API key for Tideway.'],
] as const) {
  test(`that a key was ${done} says which, of which environment, by whom and when, and links to the keys`, () => {
    const mail = rendered(compose(change));
    assertWellSet(mail);
    assert.equal(mail.subject, subject);
    assert(mail.text.startsWith(`ada@tideway.example ${lead}\n`), mail.text);
    for (const line of [
      'Environment: live',
      'Key: kp_live_0a1b2c3d…',
      'Label: Shop',
      'https://dashboard.kelpie.example/live/keys',
    ])
      assert(mail.text.includes(`\n${line}\n`), line);
    assert.match(mail.text, /^\w+ on: 15 November 2026 at 10:20 UTC$/m);
    const short = rendered(compose({ ...change, label: null }));
    assertWellSet(short);
    assert.doesNotMatch(short.text, /Label/);
  });
}

const act = {
  code: '482915',
  business: 'Tideway',
  does: 'invite mallory@elsewhere.example to Tideway as an admin',
  facts: [['Member', 'mallory@elsewhere.example']],
} as const;

test('a code for a change says what it changes, and how long it is good for', () => {
  const mail = rendered(confirmActMail(act));
  assertWellSet(mail);
  assert.match(mail.text, /^Use this code to invite mallory@elsewhere\.example to Tideway as an\sadmin\./);
  assert.match(mail.text, /5\sminutes/);
  for (const line of ['    482915', 'Account: Tideway', 'Member: mallory@elsewhere.example'])
    assert(mail.text.includes(`\n${line}\n`), line);
  assert.doesNotMatch(`${mail.subject} ${mail.text.slice(0, 80)}`, /\d{6}/);
});

const member = {
  business: 'Tideway',
  email: 'grace@tideway.example',
  by: 'ada@tideway.example',
  at: new Date('2026-11-15T10:20:30Z'),
  dashboardUrl: 'https://dashboard.kelpie.example',
};

test('that members changed says who, as what, by whom and when', () => {
  const mails = [
    [
      memberInvitedMail({ ...member, role: 'admin' }),
      'ada@tideway.example invited grace@tideway.example to Tideway as an admin.',
      'Role: admin',
    ],
    [
      roleChangedMail({ ...member, from: 'admin', to: 'viewer' }),
      'ada@tideway.example made grace@tideway.example a viewer of Tideway.',
      'Role: viewer (before: admin)',
    ],
    [
      memberRemovedMail({ ...member, role: 'admin' }),
      'ada@tideway.example removed grace@tideway.example from Tideway.',
      'Role: admin',
    ],
    [
      memberRestoredMail({ ...member, by: 'Kelpie support' }),
      'Kelpie support made grace@tideway.example an admin of Tideway again.',
      'Role: admin',
    ],
  ] as const;
  for (const [message, lead, role] of mails) {
    const mail = rendered(message);
    assertWellSet(mail);
    assert.equal(
      mail.text
        .slice(0, lead.length + 1)
        .replaceAll(/\s/g, ' ')
        .trim(),
      lead,
    );
    for (const line of ['Account: Tideway', 'Member: grace@tideway.example', role])
      assert(mail.text.includes(`\n${line}\n`), line);
    assert.match(mail.text, /^\w+ on: 15 November 2026 at 10:20 UTC$/m);
  }
});

test('that live is frozen says by whom, and what follows', () => {
  const mail = rendered(liveFrozenMail(member));
  assertWellSet(mail);
  assert.match(mail.text, /^ada@tideway\.example froze the live payouts of Tideway\.$/m);
  assert.match(mail.text, /payouts that wait are not\ssent/);
});

test('an email about a key says what the key can do, from where and until when', () => {
  const all = rendered(keyCreatedMail(change)).text;
  for (const line of ['It can: create payouts and read data', 'Works from: any address'])
    assert(all.includes(`\n${line}\n`), all);
  assert.doesNotMatch(all, /Daily limit|Expires on/);
  const restricted = rendered(
    keyCreatedMail({
      ...change,
      scope: 'read',
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      expiresAt: new Date('2027-01-02T03:04:05Z'),
      dailyLimit: 250_000n,
    }),
  );
  assertWellSet(restricted);
  for (const line of [
    'It can: read data only',
    'Works from: 203.0.113.0/24, 2001:db8::/32',
    'Daily limit: £2,500.00',
    'Expires on: 2 January 2027 at 03:04 UTC',
  ])
    assert(restricted.text.includes(`\n${line}\n`), restricted.text);
});

test('that a key was rolled says how long the old secret works', () => {
  const [later, ended] = [change.at, null].map((expiresAt) =>
    rendered(keyRolledMail(change, { prefix: 'kp_live_4d3c2b1a', expiresAt })),
  );
  assert.match(later?.text ?? '', /kp_live_4d3c2b1a…, works until 15\sNovember\s2026\sat\s10:20\sUTC/);
  assert.match(ended?.text ?? '', /kp_live_4d3c2b1a…, no\slonger\sworks/);
});

test('that a key expires soon says which, when, and what to do', () => {
  const { business, environment, prefix, label, at: expiresAt } = change;
  const expiring = { business, environment, prefix, label, expiresAt };
  const mail = rendered(keyExpiringMail({ ...expiring, dashboardUrl: change.dashboardUrl }));
  assertWellSet(mail);
  assert.equal(mail.subject, 'A live API key for Tideway expires soon');
  assert.match(mail.text, /^A live API key for Tideway expires on 15\sNovember\s2026\sat\s10:20\sUTC\./);
  for (const line of ['Key: kp_live_0a1b2c3d…', 'Label: Shop', 'https://dashboard.kelpie.example/live/keys'])
    assert(mail.text.includes(`\n${line}\n`), line);
  const unlinked = rendered(keyExpiringMail({ ...expiring, label: null, dashboardUrl: null }));
  assertWellSet(unlinked);
  assertNamesAreWords(rendered(keyExpiringMail({ ...expiring, label: hostileName, dashboardUrl: null })));
});

test('faults 55: a name is words, whatever is in it', () => {
  assertNamesAreWords(rendered(confirmActMail({ ...act, does: hostileName })));
  assertNamesAreWords(rendered(confirmActMail({ ...act, business: hostileName })));
  assertNamesAreWords(rendered(memberRemovedMail({ ...member, role: 'viewer', business: hostileName })));
  assertNamesAreWords(rendered(liveFrozenMail({ ...member, business: hostileName })));
  assertNamesAreWords(rendered(invitationMail({ ...invitation, business: hostileName })));
  assertNamesAreWords(rendered(invitationMail({ ...invitation, invitedBy: hostileName })));
  for (const compose of [keyCreatedMail, rolledMail, keyRevokedMail]) {
    assertNamesAreWords(rendered(compose({ ...change, label: hostileName })));
    assertNamesAreWords(rendered(compose({ ...change, business: hostileName, by: hostileName })));
  }
});
