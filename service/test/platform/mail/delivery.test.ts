import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { inTransaction } from '../../../src/platform/database/transaction.ts';
import { sendMail } from '../../../src/platform/mail/outbox.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { startWorker } from '../../harness/processes.ts';
import { openPostOffice, readMail, secretCode, type MailRow } from './post-office.ts';

// Real workers, a real relay, and kill -9 between them.

const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 }, (address) =>
  address.startsWith('nobody') ? { status: 550, text: '5.1.1 No such user' } : undefined,
);
after(inbox.close);
const office = await openPostOffice(database);

function arrivedFor(to: string) {
  return inbox.mails().filter((mail) => mail.to.includes(to));
}

async function untilEnded(id: string): Promise<MailRow> {
  return eventually('the mail is at its end', async () => {
    const row = await readMail(database, id);
    return row?.content_encrypted === null && row;
  });
}

interface JobRow {
  data: unknown;
  output: unknown;
  state: string;
}

async function readJobs(mailId: string): Promise<JobRow[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const sql = `select data, output, state from pgboss.job where name = 'send-mail' and data->>'mail_id' = $1`;
    return (await client.query<JobRow>(sql, [mailId])).rows;
  });
}

async function untilKilled(child: Child): Promise<void> {
  assert.equal((await child.exited).signal, 'SIGKILL', child.output());
}

test('a mail that was posted arrives once, and nothing of it is kept but that it was sent', async () => {
  const worker = await startWorker({ database, mail: inbox });
  const id = await office.post({ to: 'ada@example.com' });
  const mail = await inbox.waitForMail('ada@example.com');
  assert.equal(mail.messageId, `<${id}@kelpie.example>`);
  assert.equal(mail.from, 'no-reply@kelpie.example');
  assert.equal(mail.subject, 'A trial');
  assert.match(mail.text, new RegExp(secretCode));
  assert.match(mail.html ?? '', new RegExp(secretCode));
  const row = await untilEnded(id);
  assert.notEqual(row.sent_at, null);
  await eventually('the job is done', async () => (await readJobs(id))[0]?.state === 'completed');
  assert.deepEqual(
    (await readJobs(id)).map(({ data }) => data),
    [{ mail_id: id }],
  );
  assert.doesNotMatch(worker.output(), /ada@|482915/);
  assert.equal(arrivedFor('ada@example.com').length, 1);
});

test('a transaction that rolls back sends nothing', async () => {
  await startWorker({ database, mail: inbox });
  let undone = '';
  const rolledBack = inTransaction(office.pool, 'shared', async (tx) => {
    undone = await office.postIn(tx, { to: 'undone@example.com' });
    throw new Error('changed my mind');
  });
  await assert.rejects(rolledBack, /changed my mind/);
  await untilEnded(await office.post({ to: 'later@example.com' }));
  assert.equal(arrivedFor('undone@example.com').length, 0);
  assert.equal(await readMail(database, undone), undefined);
  assert.deepEqual(await readJobs(undone), []);
});

test('whoever posted is killed right after the commit: the mail arrives, once', async () => {
  const args = [database.serviceUrl, 'orphan@example.com'];
  const poster = startChild({ name: 'poster', file: 'service/test/programs/post-mail.ts', args, env: {} });
  await untilKilled(poster);
  await startWorker({ database, mail: inbox });
  await inbox.waitForMail('orphan@example.com');
  await untilEnded(await office.post({ to: 'after-orphan@example.com' }));
  assert.equal(arrivedFor('orphan@example.com').length, 1);
});

test('the worker is killed before it sends: the mail arrives, once', async () => {
  const env = { KELPIE_TEST_FAILPOINT: 'mail.send.before*1' };
  const doomed = await startWorker({ database, mail: inbox, env });
  const id = await office.post({ to: 'before@example.com' });
  await untilKilled(doomed);
  assert.equal(arrivedFor('before@example.com').length, 0);
  await startWorker({ database, mail: inbox });
  assert.notEqual((await untilEnded(id)).sent_at, null);
  assert.equal(arrivedFor('before@example.com').length, 1);
});

test("the worker is killed right after the relay's yes: the mail comes again, with the same Message-ID", async () => {
  const env = { KELPIE_TEST_FAILPOINT: 'mail.send.after*1' };
  const doomed = await startWorker({ database, mail: inbox, env });
  const id = await office.post({ to: 'twice@example.com' });
  await untilKilled(doomed);
  assert.equal((await readMail(database, id))?.sent_at, null);
  await startWorker({ database, mail: inbox });
  assert.notEqual((await untilEnded(id)).sent_at, null);
  const messageIds = arrivedFor('twice@example.com').map(({ messageId }) => messageId);
  assert.deepEqual(messageIds, [`<${id}@kelpie.example>`, `<${id}@kelpie.example>`]);
});

test('a relay that is down holds a mail up, and does not lose it', async (t) => {
  const smtpPort = await findPort();
  const worker = await startWorker({ database, mail: { smtpPort } });
  const id = await office.post({ to: 'patient@example.com' });
  await worker.waitForEvent('job.failed');
  const relay = await startMailInbox({ smtp: smtpPort, page: 0 });
  t.after(relay.close);
  await relay.waitForMail('patient@example.com', 30_000);
  assert.notEqual((await untilEnded(id)).sent_at, null);
  assert.equal(relay.mails().length, 1);
});

test('a mail that is not tried any more is an alarm, which does not say whose it is', async () => {
  const worker = await startWorker({ database, mail: { smtpPort: await findPort() } });
  const id = await office.post({ to: 'unlucky@example.com' });
  await worker.waitForEvent('job.failed');
  await eventually('it waits for its next try, which is its last', async () => {
    const { rowCount } = await asAdmin(database.superuserUrl, async (client) =>
      client.query(
        `update pgboss.job set retry_count = $2, start_after = now() where data->>'mail_id' = $1 and state = 'retry'`,
        [id, sendMail.retryLimit - 1],
      ),
    );
    return rowCount === 1;
  });
  const { level } = await worker.waitForEvent('job.given_up');
  assert.equal(level, 'error');
  assert.doesNotMatch(worker.output(), /unlucky@/);
  assert.doesNotMatch(JSON.stringify(await readJobs(id)), /unlucky@/);
});

test('an address that the relay refuses is marked, and not tried again', async () => {
  const worker = await startWorker({ database, mail: inbox });
  const id = await office.post({ to: 'nobody@example.com' });
  const { refused_at: refusedAt, sent_at: sentAt } = await untilEnded(id);
  assert.notEqual(refusedAt, null);
  assert.equal(sentAt, null);
  const { mail_id: mailId, status } = await worker.waitForEvent('mail.refused');
  assert.deepEqual({ mailId, status }, { mailId: id, status: 550 });
  await eventually('the job is done', async () => (await readJobs(id))[0]?.state === 'completed');
  assert.doesNotMatch(worker.output(), /nobody@|No such user|job\.failed/);
});

test('a mail that is of no use any more is not sent', async () => {
  const hourAgo = new Date(Date.now() - 3_600_000);
  const id = await office.post({
    to: 'stale@example.com',
    clock: { now: () => hourAgo },
    expiresAt: new Date(hourAgo.getTime() + 600_000),
  });
  await startWorker({ database, mail: inbox });
  assert.notEqual((await untilEnded(id)).given_up_at, null);
  assert.equal(arrivedFor('stale@example.com').length, 0);
});

test('without a relay mails wait for a worker that has one', async () => {
  const without = await startWorker({ database });
  await without.waitForEvent('mail.no_relay');
  const id = await office.post({ to: 'waiting@example.com' });
  await startWorker({ database, mail: inbox });
  assert.notEqual((await untilEnded(id)).sent_at, null);
  assert.doesNotMatch(without.output(), /send-mail/);
});

test('a mail goes to one address, and to nothing that only looks like one', async () => {
  for (const to of [
    '',
    'ada',
    'a@b.example, c@d.example',
    'a@b.example\r\nBcc: c@d.example',
    'Ada <a@b.example>',
    'a b@c',
  ])
    await assert.rejects(office.post({ to }), /one valid address/, to);
});
