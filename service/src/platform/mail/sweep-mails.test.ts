import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { openPostOffice, readMail } from '../../../test/platform/mail/post-office.ts';
import { inTransaction } from '../database/transaction.ts';
import { createLogger } from '../logging.ts';
import { endMail } from './store.ts';
import { sweepOutgoingMails } from './sweep-mails.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const now = new Date('2026-11-15T04:37:00Z');
const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);

const database = await createTestDatabase();
const office = await openPostOffice(database);

async function postAt(at: Date): Promise<string> {
  return office.post({ to: 'ada@example.com', clock: { now: () => at } });
}

async function endAt(id: string, end: 'sent' | 'refused' | 'given_up', at: Date): Promise<void> {
  await inTransaction(office.pool, 'shared', async (tx) => endMail(tx, id, { end, at }));
}

async function sweep(): Promise<string[]> {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  await sweepOutgoingMails({ pool: office.pool, clock: { now: () => now }, logger });
  return lines;
}

test('a mail that could not be sent for two days is erased, which is an alarm; a younger one waits on', async () => {
  const old = await postAt(daysAgo(2.1));
  const young = await postAt(daysAgo(1.9));
  const lines = await sweep();
  assert.match(lines.join(''), /"level":"error".*"mails":1.*"mails\.given_up"/);
  assert.deepEqual((await readMail(database, old))?.given_up_at, now);
  assert.equal((await readMail(database, old))?.content_encrypted, null);
  assert.notEqual((await readMail(database, young))?.content_encrypted, null);
  await endAt(young, 'sent', now);
});

test('a row goes 30 days after its mail was sent, refused or given up, and no sooner', async () => {
  for (const end of ['sent', 'refused', 'given_up'] as const) {
    const gone = await postAt(daysAgo(31));
    await endAt(gone, end, daysAgo(30.1));
    const kept = await postAt(daysAgo(31));
    await endAt(kept, end, daysAgo(29.9));
    const lines = await sweep();
    assert.match(lines.join(''), /"mails":1.*"mails\.swept"/);
    assert.equal(await readMail(database, gone), undefined, end);
    assert.notEqual(await readMail(database, kept), undefined, end);
  }
});

test('the end of a mail is written once: who comes second changes nothing', async () => {
  const id = await postAt(now);
  await endAt(id, 'sent', now);
  await endAt(id, 'refused', now);
  const row = await readMail(database, id);
  assert.deepEqual([row?.sent_at, row?.refused_at, row?.given_up_at], [now, null, null]);
});
