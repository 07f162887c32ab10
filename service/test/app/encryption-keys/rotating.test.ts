import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { encryptRecipient } from '../../../src/payouts/records/encrypted-recipient.ts';
import { createEncryptor } from '../../../src/platform/encryption.ts';
import { seedEveryTable } from '../../database/seed-every-table.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { kelpieAdmin, kelpieEnv } from '../commands/kelpie-admin.ts';
import { plantValues, recipient, rowsOf, samples } from './planted-values.ts';

// Everything that is encrypted gets under a new data key, whatever table it is in and wherever the command is killed.

const database = await createTestDatabase();
const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const before = createEncryptor(new Map([[1, oldKey]]));
const after = createEncryptor(new Map([[2, newKey]]));
const withBoth = { KELPIE_DATA_KEYS: `2:${newKey.toString('hex')},1:${oldKey.toString('hex')}` };
const withOld = { KELPIE_DATA_KEYS: `1:${oldKey.toString('hex')}` };
const withNew = { KELPIE_DATA_KEYS: `2:${newKey.toString('hex')}` };
const why = ['--reason', 'yearly change, ticket 812', '--json'];

async function admin<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

/** Rows of the tables that the seeds leave without an encrypted value. */
async function plantRest(): Promise<void> {
  const id = randomUUID();
  await admin(
    `insert into kelpie.outgoing_mails (id, kind, message_id, content_encrypted, created_at)
     values ($1, 'a-kind', '<1@kelpie.example>', '\\x01', now())`,
    [id],
  );
  await admin(
    `insert into kelpie.sign_in_codes (id, email_hmac, code_hmac, mail_encrypted, sign_up_slug, sign_up_encrypted, created_at)
     values ($1, sha256('1'), sha256('2'), '\\x01', 'acme', '\\x01', now())`,
    [id],
  );
  await admin(
    `insert into kelpie.erasure_requests (proposal_id, email_encrypted, requested_at) values ($1, '\\x01', now())`,
    [id],
  );
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(`update kelpie.payouts set bank_recipient_encrypted = '\\x01'`);
    await client.query(
      `update kelpie.funding_sources set method = 'bank_transfer', chain = null, address = null, details_encrypted = '\\x01'`,
    );
    await client.query(`update kelpie.deposits set sender_encrypted = '\\x01'`);
    await client.query(
      `update kelpie.webhook_endpoints set previous_secret_encrypted = '\\x01', previous_secret_until = now()`,
    );
  });
}

const copies = 2_500;

/** More than one page of payouts. Their recipients are under the old key, but for the newest: that one a process created. */
async function plantPages(): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    const { rows } = await client.query<{ id: string }>(
      `insert into kelpie.payouts select (jsonb_populate_record(p, jsonb_build_object(
         'id', kelpie.new_id_at(now()), 'order_id', gen_random_uuid(), 'idempotency_key', gen_random_uuid(),
         'bank_recipient_encrypted', null
       ))).* from kelpie.payouts p cross join generate_series(1, $1)
       where p.id = (select one.id from kelpie.payouts one limit 1) returning id`,
      [copies],
    );
    await client.query(
      `update kelpie.payouts p set recipient_encrypted = item.encrypted
       from unnest($1::uuid[], $2::bytea[]) as item (id, encrypted) where p.id = item.id`,
      [rows.map(({ id }) => id), rows.map(({ id }) => encryptRecipient(before, id, recipient))],
    );
  });
}

async function encryptNewest(): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    const { rows } = await client.query<{ id: string }>('select id from kelpie.payouts order by id desc limit 1');
    const id = rows[0]?.id ?? '';
    await client.query('update kelpie.payouts set recipient_encrypted = $1 where id = $2', [
      encryptRecipient(after, id, recipient),
      id,
    ]);
  });
}

/** All that a change of keys must leave as it is. */
async function digestRest(): Promise<string> {
  const [row] = await admin<{ digest: string }>(
    `select md5(string_agg(d, '|')) as digest from (
       select md5(string_agg((to_jsonb(p) - '{recipient_encrypted,bank_recipient_encrypted}'::text[])::text, '|' order by p.id)) as d
       from kelpie.payouts p
       union all select md5(string_agg((to_jsonb(d) - 'sender_encrypted')::text, '|' order by d.id)) from kelpie.deposits d
       union all select md5(string_agg((to_jsonb(k) - 'id_encrypted')::text, '|' order by k.number)) from kelpie.known_recipients k
     ) all_of_it`,
  );
  return row?.digest ?? '';
}

test('every encrypted column is one that the rotation covers, and has a sample here', async () => {
  const columns = await admin<{ name: string }>(
    `select c.relname || '.' || a.attname as name
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'kelpie' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and a.attname like '%\\_encrypted' order by 1`,
  );
  const covered = await admin<{ name: string }>(
    `select table_name || '.' || column_name as name from kelpie.encrypted_columns() order by 1`,
  );
  assert.deepEqual(covered, columns);
  assert.deepEqual(Object.keys(samples).toSorted(), columns.map(({ name }) => name).toSorted());
});

test('a key that no process encrypts with yet is refused, and so is one that is missing or another', async () => {
  await asAdmin(database.superuserUrl, async (client) => seedEveryTable(client, [randomUUID(), randomUUID()]));
  await plantRest();
  await asAdmin(database.superuserUrl, async (client) => plantValues(client, before));
  await plantPages();
  const refused = async (env: Record<string, string>): Promise<string> => {
    const ended = await kelpieAdmin(database, ['encryption-keys', 'rotate', ...why], env);
    assert.equal(ended.code, 2, ended.said);
    return textAt(ended.json(), 'error.code');
  };
  assert.equal(await refused(withBoth), 'key_not_in_use');
  await encryptNewest();
  assert.equal(await refused(withOld), 'key_missing');
  const other = { KELPIE_DATA_KEYS: `2:${'33'.repeat(32)},1:${oldKey.toString('hex')}` };
  assert.equal(await refused(other), 'key_differs');
  const missing = await kelpieAdmin(database, ['encryption-keys', 'status', '--json'], withNew);
  assert.equal(missing.code, 1, missing.said);
});

test('no one replaces a ciphertext without an entry in the audit log', async () => {
  const text = `select kelpie.replace_encrypted_values('payouts', 'recipient_encrypted', '{}', '{}', '{}')`;
  for (const url of [database.serviceUrl, database.operatorUrl])
    await assert.rejects(asAdmin(url, async (client) => client.query(text)));
});

test('killed in the middle, it goes on where it was, and the old key is needed by nothing', async () => {
  const rest = await digestRest();
  const [middle] = await admin<{ id: string }>('select id from kelpie.payouts order by id offset 1500 limit 1');
  const underNew = `select count(*)::int as rows from kelpie.payouts where get_byte(recipient_encrypted, 0) = 2`;
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('select pg_advisory_lock(55)');
    await admin(`create function public.wait_here() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(55); return new; end $$`);
    await admin(`create trigger a_wait before update on kelpie.payouts for each row when (new.id = '${middle?.id ?? ''}')
      execute function public.wait_here()`);
    const args = ['encryption-keys', 'rotate', ...why];
    const env = { ...kelpieEnv(database), ...withBoth };
    const child = startChild({ name: 'kelpie', file: 'service/src/app/cli.ts', args, env });
    await eventually('the second page waits', async () => {
      const [row] = await admin(
        `select from pg_stat_activity where wait_event = 'advisory' and query like '%replace_enc%'`,
      );
      return row !== undefined || child.output().includes('error');
    });
    child.kill('SIGKILL');
    await child.exited;
    await client.query('select pg_advisory_unlock(55)');
  });
  await admin('drop trigger a_wait on kelpie.payouts');
  const [half] = await admin<{ rows: number }>(underNew);
  assert((half?.rows ?? 0) >= 1_000 && (half?.rows ?? 0) < copies, `${half?.rows} rows`);

  const done = await kelpieAdmin(database, ['encryption-keys', 'rotate', ...why], withBoth);
  assert.equal(done.code, 0, done.said);
  assert.deepEqual([valueAt(done.data(), 'left'), valueAt(done.data(), 'unreadable')], [0, 0]);
  const status = await kelpieAdmin(database, ['encryption-keys', 'status', '--json'], withNew);
  assert.deepEqual([status.code, valueAt(status.data(), 'old')], [0, 0], status.said);
  await asAdmin(database.superuserUrl, async (client) => {
    for (const [name, { open }] of Object.entries(samples)) {
      const values = (await rowsOf(client, name)).filter(({ encrypted }) => encrypted !== null);
      assert(values.length > 0, name);
      for (const row of values) assert(open(after, row, row.encrypted ?? Buffer.alloc(0)) !== null, name);
    }
  });
  assert.equal(await digestRest(), rest);
  const audited = await kelpieAdmin(database, ['audit', 'verify', '--json']);
  assert.equal(audited.code, 0, audited.said);
  const again = await kelpieAdmin(database, ['encryption-keys', 'rotate', ...why], withBoth);
  assert.deepEqual([again.code, valueAt(again.data(), 'replaced')], [0, 0], again.said);
});
