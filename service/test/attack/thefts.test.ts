import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { attacks } from './attacks.ts';

// docs/security.md says what each theft is worth. Each of its lines names who tries it: attacks, or tests by file and title.

type Proof = { attacks: readonly string[] } | { file: string; title: string };

const proofs: Readonly<Record<string, readonly Proof[]>> = {
  'sandbox key': [{ attacks: ['sandbox-key-reads-live', 'environment-confusion'] }],
  'read key': [{ attacks: ['read-key-writes', 'key-from-foreign-network', 'expired-key'] }],
  'live key': [{ attacks: ['key-drains', 'cap-split', 'give-back-farmed', 'london-midnight'] }],
  'live key in its first 24 hours': [{ attacks: ['new-key-drains'] }],
  'old secret of a rolled key': [{ attacks: ['old-secret', 'roll-races-revoke'] }],
  'viewer session': [{ attacks: ['viewer-writes', 'foreign-session-end'] }],
  'admin session': [{ attacks: ['session-pays', 'session-takes-over', 'act-code-raced', 'thief-stays'] }],
  'admin mailbox': [{ attacks: ['mailbox-drains', 'unseen-takeover', 'approves-own', 'rules-loosened'] }],
  'mailbox of an account that requires passkeys': [
    { attacks: ['mailbox-without-passkey', 'passkey-challenge-replayed', 'foreign-passkey'] },
  ],
  'session and mailbox of a person with a passkey': [{ attacks: ['session-without-passkey'] }],
  'admin session and mailbox': [{ attacks: ['mailbox-drains', 'unseen-takeover'] }],
  'freeze link': [{ attacks: ['foreign-freeze', 'frozen-pays'] }],
  'browser cookie': [{ attacks: ['stolen-browser-cookie'] }],
  'worker host': [{ file: 'service/test/app/commands/audit.test.ts', title: 'faults 57' }],
  'read replica': [{ attacks: ['read-replica'] }],
  'database superuser': [
    { attacks: ['rows-tampered'] },
    { file: 'service/test/access/row-macs.test.ts', title: 'faults 92' },
    { file: 'service/test/payouts/known-recipients.test.ts', title: 'faults 59' },
    { file: 'service/test/app/commands/audit.test.ts', title: 'faults 57' },
  ],
  'one operator': [
    { attacks: ['operator-alone'] },
    { file: 'service/test/app/commands/approvals.test.ts', title: 'faults 62' },
  ],
};

const page = readFileSync(path.join(projectFolder, 'docs/security.md'), 'utf8');
const [, table = ''] = /^## What each theft is worth$(.*?)^## /ms.exec(page) ?? [];
const rows = [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, stolen = '']) => stolen);
const stolen = rows.filter((row) => row !== 'stolen' && !row.startsWith('---'));

test('every line of "What each theft is worth" is tried by an attack or a test, and nothing is tried for a line that is gone', () => {
  assert(stolen.length >= 15, page);
  assert.deepEqual(stolen.toSorted(), Object.keys(proofs).toSorted());
});

for (const [theft, named] of Object.entries(proofs)) {
  test(`what tries the theft of a ${theft} exists`, () => {
    assert(named.length > 0);
    for (const proof of named) {
      if ('attacks' in proof) {
        const known = new Set(attacks.map(({ name }) => name));
        for (const name of proof.attacks) assert(known.has(name), name);
      } else {
        const text = readFileSync(path.join(projectFolder, proof.file), 'utf8');
        assert(text.includes(`test('${proof.title}`) || text.includes(`test(\`${proof.title}`), proof.file);
      }
    }
  });
}
