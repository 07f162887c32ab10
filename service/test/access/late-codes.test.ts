import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { addMembers, askCode, newAddress, readCode } from '../harness/sign-in.ts';

// No worker runs for a while, as in a bad hour: what then waits to be mailed may be of no use any more.

const database = await createTestDatabase();
const clock = createTestClock();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const { url } = await startApi({ database, env });
const { partnerId } = await createSimulatedPartner(database);

test('a code that was over before a worker came to it is forgotten without a mail, and keeps nobody waiting', async () => {
  const [late, inTime] = [newAddress(), newAddress()];
  await addMembers(database, partnerId, [late, inTime]);
  assert.equal((await askCode(url, late)).status, 202);
  clock.move(10 * 60_000);
  assert.equal((await askCode(url, inTime)).status, 202);
  const worker = await startWorker({ database, env, mail: inbox });
  await readCode(inbox, inTime);
  await eventually('no code waits any more', async () => {
    const { rows } = await asAdmin(database.superuserUrl, async (client) =>
      client.query('select from kelpie.sign_in_codes where mail_encrypted is not null'),
    );
    return rows.length === 0;
  });
  assert.deepEqual(
    inbox.mails().map(({ to }) => to),
    [[inTime]],
  );
  assert.doesNotMatch(worker.output(), /sign_in_code\.not_emailed|job\.failed/);
});
