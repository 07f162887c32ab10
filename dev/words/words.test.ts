import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { allowed, avoided } from './avoid.ts';
import { checkWords } from './check-text.ts';

/** How Kelpie spoke, and how it speaks. */
const rewrites: readonly (readonly [string, string])[] = [
  ['Let a person in no more', 'Remove a member'],
  ['How a payout came to where it is', 'Retrieve a payout’s history'],
  ['What the wallet holds', 'Retrieve the balance'],
  ['Whom you have paid', 'List recipients'],
  ['What is behind an invoice', 'List invoice items'],
  ['Have a code mailed, to sign in with', 'Send a sign-in code'],
  ['Set how your page looks, who gets your papers', 'Update account settings'],
  ['to look, sandbox is understood', 'Reads default to sandbox; writes must specify it.'],
  ['wrong, used or over', 'Wrong, expired or already used, or too many attempts. We don’t say which.'],
  ['another partner’s is as good as none', 'Other partners’ resources return 404.'],
  ['Mend the fields that are named.', 'Fix the listed fields.'],
  ['Write to us to find out why.', 'Contact support at support@kelpie.example.'],
  ['Somebody else is at the same just now', 'Locked by another operation. Nothing changed; retry.'],
  ['Noted in the log of the operators as row 3', 'Recorded in the audit log as entry 3.'],
  ['the bank is not to be had', 'the bank is unavailable'],
  ['Nothing is left to be looked after.', 'No further action is scheduled.'],
  ['Nothing. All is as it should be.', 'You’re all caught up.'],
  ['Nobody gets your invoices', 'Add a billing email'],
  ['it could not be read again since', 'Last updated 22:42. Reconnecting…'],
  ['This has 81 characters, and 80 are the most.', 'Use at most 80 characters.'],
  ['Look at your mail', 'Check your email'],
  ['This code is wrong, used or over', 'That code is wrong or has expired'],
  ['Made', 'Created'],
  ['Came', 'Received'],
  ['Let it go on', 'Keep payout'],
  ['Say how much the recipient shall receive', 'Enter an amount'],
  ['The least is £3.00', 'Minimum £3.00'],
  ['As the system', 'System'],
  ['This is no email address', 'Enter a valid email address'],
  ['To see one fail', 'Test a failure'],
  ['a whole system, started for it alone', 'Runs black-box conformance tests against a fresh stack'],
  ['Pure: the same of the same.', 'Pure function.'],
  ['100 a second and key', '100 per second per key'],
  ['£0.79 a dollar', '1 USDC = £0.79'],
  ['The amount is not right: it is a text of pounds', 'amount_gbp must be a string with two decimals'],
  ['The bank can not be reached', 'The bank cannot be reached'],
  ['An API key was made, and every admin is told', 'An admin created an API key. We email every admin.'],
  ['a fault of ours', 'our error'],
];

/** The line and the words of each finding. */
async function found(file: string, source: string): Promise<string[]> {
  return (await checkWords(file, source)).map(({ line, message }) => `${line} ${message.split(' → ')[0]}`);
}

test('every old phrase is refused, and what replaced it is not', async () => {
  for (const [before, after] of rewrites) {
    assert.notEqual((await checkWords('page.md', before)).length, 0, before);
    assert.deepEqual(await checkWords('page.md', after), []);
  }
});

test('every entry of the list is needed by an old phrase, or has words of its own that are refused', async () => {
  const others =
    'It was looked at. Emails are posted. We reckon so. The run was broken off. The operators’ log has the whole story. Make an API key. See how it stands.';
  const texts = [...rewrites.map(([before]) => before), ...others.split(/(?<=\.) /)];
  for (const { words } of avoided)
    assert(
      texts.some((text) => words.test(text)),
      String(words),
    );
});

test('planted words are found in prose, strings, templates, JSX and the API description, with their lines', async () => {
  assert.deepEqual(await found('page.md', '# Title\n\nThe file is\nmended by\nnobody.'), ['4 "mended"', '5 "nobody"']);
  assert.deepEqual(await found('a.ts', `const a = 1;\nthrow new Error('the bank can not pay');`), ['2 "can not"']);
  assert.deepEqual(await found('a.ts', 'const a = `\n${b} is told\n`;'), ['1 "told"']);
  assert.deepEqual(await found('a.tsx', 'const a = (\n  <p title="Look at your mail">\n    Whoever pays\n  </p>\n);'), [
    '2 "mail"',
    '2 "Whoever"',
  ]);
  const api = JSON.stringify({ paths: { '/': { get: { summary: 'Whom you paid' } } } }, null, 2);
  assert.deepEqual(await found('api.json', api), ['5 "Whom"']);
});

test('code, comments, queries and identifiers are not prose', async () => {
  assert.deepEqual(
    await checkWords('page.md', 'Run `mend nobody`.\n\n    can not\n\n[told](mail.md)'.replace('[told]', '[a]')),
    [],
  );
  const source = `// nobody is told\nimport a from 'mail nobody';\nconst q = 'select told from mails where nobody is told';\nconst b = 'nobody';`;
  assert.deepEqual(await checkWords('a.ts', source), []);
});

test('every exception has a reason', () => {
  for (const { path: where, reason } of allowed) assert(reason.length > 20, where);
});

test('npm run lint fails on a planted word', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-words-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const run = (text: string) => {
    writeFileSync(path.join(folder, 'page.md'), text);
    const file = path.relative(projectFolder, path.join(folder, 'page.md'));
    return spawnSync(process.execPath, ['dev/words/lint.ts', file], { cwd: projectFolder, encoding: 'utf8' });
  };
  const planted = run('The bank is not to be had.');
  assert.equal(planted.status, 1, planted.stdout);
  assert.match(planted.stdout, /page\.md:1 {2}"not to be had" → unavailable/);
  assert.equal(run('The bank is unavailable.').status, 0);
});
