import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { printDay, printMonth, printPounds } from '../../src/billing/pdf/printed-invoice.ts';
import { confirmPlantedAddresses } from '../harness/confirmed-addresses.ts';
import { call, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { signIn } from '../harness/people.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { startApi } from '../harness/processes.ts';
import { readPdf } from '../harness/read-pdf.ts';

const database = await createTestDatabase();
const api = await startApi({
  database,
  env: {
    KELPIE_INVOICE_FROM: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA',
    KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
  },
});

async function newPartner(name: string): Promise<Client & { partnerId: string }> {
  const { key, partnerId } = await createSimulatedPartner(database);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set name = $2, billing_email = 'accounts@example.test' where id = $1`, [
      partnerId,
      name,
    ]),
  );
  await confirmPlantedAddresses(database, partnerId);
  return { url: api.url, key, partnerId };
}

/** With a line of every kind. */
async function plantLongInvoice(partnerId: string): Promise<string> {
  const id = await plantInvoice(database, partnerId);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.invoice_lines (
         invoice_id, partner_id, kind, place, description, quantity, unit_price_pence, amount_pence, items
       )
       select $1, $2, kind, place, description, 1, pence, pence, 1
       from (values
         ('payout_fees', 2, 'Payout fees, 10,204 completed payouts, of which 3 returned', 123456789),
         ('network_fees', 3, 'Network fees', 20408), ('bank_exceptions', 4, 'Bank exceptions', 1800),
         ('business_verification', 5, 'Business verification', 3900), ('credit', 6, 'Credit for returned payouts', 1234)
       ) as line (kind, place, description, pence)`,
      [id, partnerId],
    );
    // No invoice changes once it is issued, but this one has no charges behind it.
    await client.query('set session_replication_role = replica');
    await client.query('update kelpie.invoices set total_pence = $2 where id = $1', [id, 123_483_163]);
  });
  return id;
}

async function download({ url, key }: Client, path: string): Promise<{ response: Response; file: Buffer }> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  return { response, file: Buffer.from(await response.arrayBuffer()) };
}

test('the paper says what the API says: number, dates, partner, every line, and the total', async () => {
  const partner = await newPartner('Zoë’s Market & Söhne Ltd');
  const id = await plantLongInvoice(partner.partnerId);
  const { json } = await call(partner, `/v1/invoices/${id}`);
  const { response, file } = await download(partner, `/v1/invoices/${id}.pdf`);
  assert.equal(response.status, 200);
  const { text } = await readPdf(file);
  const lines = listAt(json, 'lines');
  assert.equal(lines.length, 6);
  const printed = lines.map((line) => {
    const sign = textAt(line, 'kind') === 'credit' ? '−' : '';
    const [unit, amount] = ['unit_price_gbp', 'amount_gbp'].map((field) => printPounds(textAt(line, field), sign));
    return `${textAt(line, 'description')} ${String(valueAt(line, 'quantity'))} ${unit} ${amount}`;
  });
  // One after the other, with nothing between them that the API does not have.
  assert(text.includes(`Description Quantity Unit price Amount ${printed.join(' ')} Total`), text);
  const due = printDay(new Date(textAt(json, 'due_at')));
  for (const expected of [
    `Invoice ${textAt(json, 'number')}`,
    `For ${printMonth(textAt(json, 'period'))}`,
    `Issued ${printDay(new Date(textAt(json, 'issued_at')))}`,
    `Due ${due}`,
    `Total ${printPounds(textAt(json, 'total_gbp'))}`,
    `${printPounds(textAt(json, 'total_gbp'))} due by ${due}`,
    'Zoë’s Market & Söhne Ltd accounts@example.test',
    'Kelpie Payouts Ltd 1 Harbour Street Edinburgh EH6 6AA',
    'Sort code 04-00-04 Account number 12345678',
  ])
    assert(text.includes(expected), `${expected} is not in: ${text}`);
});

test('the file has a name, a type, and the same bytes whenever it is asked for', async () => {
  const partner = await newPartner('Example Ltd');
  const id = await plantInvoice(database, partner.partnerId);
  const { json } = await call(partner, `/v1/invoices/${id}`);
  const { response, file } = await download(partner, `/v1/invoices/${id}.pdf`);
  assert.equal(response.headers.get('content-type'), 'application/pdf');
  assert.equal(
    response.headers.get('content-disposition'),
    `attachment; filename="kelpie-invoice-${textAt(json, 'number')}.pdf"`,
  );
  const other = await startApi({
    database,
    env: {
      KELPIE_INVOICE_FROM: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA',
      KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
    },
  });
  const again = await download({ ...partner, url: other.url }, `/v1/invoices/${id}.pdf`);
  assert(file.equals(again.file), 'another process draws another file');
});

test('a partner that has another name now has its old one on what it got before', async () => {
  const partner = await newPartner('Before Ltd');
  const id = await plantInvoice(database, partner.partnerId);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set name = 'After Ltd', billing_email = null where id = $1`, [
      partner.partnerId,
    ]),
  );
  const { json } = await call(partner, `/v1/invoices/${id}`);
  assert.deepEqual(valueAt(json, 'billed_to'), { name: 'Before Ltd', email: 'accounts@example.test' });
  const { file } = await download(partner, `/v1/invoices/${id}.pdf`);
  const { text } = await readPdf(file);
  assert(text.includes('Before Ltd accounts@example.test') && !text.includes('After Ltd'), text);
});

test('only those of the partner get it: keys, admins and viewers, and nobody else', async () => {
  const [partner, stranger] = [await newPartner('One Ltd'), await newPartner('Two Ltd')];
  const id = await plantInvoice(database, partner.partnerId);
  const path = `/v1/invoices/${id}.pdf`;
  const viewer = await signIn(database, partner, { url: api.url, role: 'viewer' });
  const seen = await fetch(api.url + path, { headers: { cookie: viewer.cookie, 'sec-fetch-site': 'same-origin' } });
  assert.equal(seen.status, 200);
  await seen.arrayBuffer();
  const refused = await call(stranger, path);
  assert.deepEqual([refused.status, refused.code], [404, 'not_found']);
  assert.equal((await call({ url: api.url, key: null }, path)).status, 401);
  for (const nothing of [`/v1/invoices/${randomUUID()}.pdf`, '/v1/invoices/x.pdf', `/v1/invoices/${id}.pdf.pdf`])
    assert.equal((await call(partner, nothing)).status, 404, nothing);
  assert.equal((await call(partner, `/v1/invoices/${id}`)).status, 200);
});
