import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWellSet, rendered } from '../../../test/platform/mail/well-set.ts';
import type { MailBlock } from './layout.ts';
import { showInstant } from './shown-instant.ts';

const blocks: MailBlock[] = [
  {
    kind: 'words',
    text: 'Words that go on for longer than a line has room for, so that they have to be wrapped somewhere.',
  },
  { kind: 'code', code: '482915' },
  {
    kind: 'facts',
    facts: [
      ['Business', 'Tideway & Söhne "Ltd"'],
      ['Why', 'because it is long enough to need another line, and then is set in below its label'],
    ],
  },
  { kind: 'link', label: 'Open it', url: 'https://dashboard.kelpie.example/keys?a=1&b=2' },
  { kind: 'aside', text: 'If it was not you, do nothing.' },
];

test('text and HTML say the same, each readable alone', () => {
  const mail = rendered({ subject: 'A trial', lead: 'This is the one thing.', blocks });
  assertWellSet(mail);
  assert.equal(
    mail.text,
    `This is the one thing.

Words that go on for longer than a line has room for, so that they have
to be wrapped somewhere.

    482915

Business: Tideway & Söhne "Ltd"
Why: because it is long enough to need another line, and then is set in
  below its label

Open it
https://dashboard.kelpie.example/keys?a=1&b=2

If it was not you, do nothing.

Kelpie
Questions? Contact support: support@kelpie.example
`,
  );
});

test('the first line is the one thing that a mail says, in both forms', () => {
  const mail = rendered({ subject: 'A trial', lead: 'This is the one thing.', blocks });
  assert.match(mail.text, /^This is the one thing\.\n/);
  const [, firstWords] = /<body[^]*?<div class="preview"[^>]*>([^<]*)</.exec(mail.html) ?? [];
  assert.equal(firstWords, 'This is the one thing.');
  const [, belowName] = /<\/svg> Kelpie<\/p>\s*<p[^>]*>([^<]*)</.exec(mail.html) ?? [];
  assert.equal(belowName, 'This is the one thing.');
});

test('a name without spaces makes no line without end', () => {
  const mail = rendered({
    subject: 'A trial',
    lead: 'é'.repeat(300),
    blocks: [{ kind: 'words', text: '👩‍👧'.repeat(80) }],
  });
  for (const line of mail.text.split('\n')) assert(Array.from(line).length <= 78, line);
  assert.equal(mail.text.split('\n\n').length, 3);
});

test('a name that is read from the right leaves what stands beside it in its place', () => {
  const mail = rendered({
    subject: 'Invitation from דוד כהן',
    lead: 'Pay דוד כהן £250.00.',
    blocks: [{ kind: 'facts', facts: [['Recipient', 'محمد O’Neill']] }],
  });
  assert.equal(mail.subject, 'Invitation from \u2068דוד כהן\u2069');
  assert.match(mail.text, /^Pay \u2068דוד כהן\u2069 £250\.00\.\n\nRecipient: \u2068محمد\u2069 O’Neill\n/);
  assert.match(mail.html, /Pay <bdi>דוד כהן<\/bdi> £250\.00\.<\/p>/);
  assert.match(mail.html, /<bdi>محمد<\/bdi> O’Neill/);
  assert.match(mail.html, /<title>Invitation from דוד כהן<\/title>/);
});

function linkTo(url: string) {
  return rendered({ subject: 'A trial', lead: 'A trial.', blocks: [{ kind: 'link', label: 'Open', url }] });
}

test('a mail links to pages and to nothing else', () => {
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://kelpie.example', 'kelpie.example', ''])
    assert.throws(() => linkTo(url), /may link only to our pages/, url);
  const { html } = linkTo('https://kelpie.example/"><script>alert(1)</script>');
  assert.doesNotMatch(html, /<script/);
});

test('light and dark are both set', () => {
  const { html } = rendered({ subject: 'A trial', lead: 'A trial.', blocks });
  for (const colour of ['#0b1f24', '#f7f9f8', '#0f6e6e', '#0b1518', '#dfe8e6', '#4fb3ae'])
    assert(html.includes(colour));
  assert.match(html, /prefers-color-scheme: dark/);
});

test('an instant is shown in the one zone that is the same for everybody', () => {
  assert.equal(showInstant(new Date('2026-01-05T09:05:59.999Z')), '5 January 2026 at 09:05 UTC');
  assert.equal(showInstant(new Date('2026-12-31T23:59:00Z')), '31 December 2026 at 23:59 UTC');
});
