import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { startApi } from '../harness/processes.ts';
import { readCsv } from '../harness/read-csv.ts';

const database = await createTestDatabase();
const api = await startApi({ database });

/** This month's, so that there are partitions for it. */
async function plantMonth(partnerId: string, charges: number): Promise<string> {
  const id = await plantInvoice(database, partnerId);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query('update kelpie.invoices set begins_at = ends_at, ends_at = issued_at where id = $1', [id]);
    await client.query(
      `insert into kelpie.ledger_entries (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
       select overlay(kelpie.first_id_at(i.begins_at)::text placing lpad(to_hex(nth), 12, '0') from 25)::uuid, line, i.partner_id,
         'live', account, amount, 'charge.payout_fees', i.id
       from kelpie.invoices i, generate_series(1, $2::integer) nth,
         (values (1, 'receivable'::kelpie.ledger_account, 7), (2, 'revenue', -7)) as entry (line, account, amount)
       where i.id = $1`,
      [id, charges],
    );
  });
  return id;
}

test('a table of items is whole, however many there are', async () => {
  const { key, partnerId } = await createSimulatedPartner(database);
  const id = await plantMonth(partnerId, 10_001);
  for (const query of ['format=csv', 'format=csv&kind=payout_fees', 'format=csv&limit=1']) {
    const response = await fetch(`${api.url}/v1/invoices/${id}/items?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('link'), null);
    const [header = [], ...rows] = readCsv(await response.text());
    const amountAt = header.indexOf('amount_gbp');
    assert.equal(rows.length, 10_001);
    assert(rows.every((row) => row[amountAt] === '0.07'));
    assert.equal(new Set(rows.map((row) => row[0])).size, rows.length, 'an item is there twice');
  }
});
