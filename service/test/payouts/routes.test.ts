import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, canaries, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const partner = await createSimulatedPartner(database);
const client = { url: api.url, key: partner.key };
const nobody = { url: api.url, key: 'kp_sandbox_none' };

async function newClient() {
  const other = await createSimulatedPartner(database);
  return { url: api.url, key: other.key, partnerId: other.partnerId };
}

function said({ status, code }: ApiAnswer): string {
  return `${status} ${code}`;
}

async function quote(body: unknown): Promise<ApiAnswer> {
  return call(client, '/v1/quotes', { method: 'POST', body });
}

function pathsOf({ json }: ApiAnswer): string[] {
  return listAt(json, 'error.details.fields').map((field) => textAt(field, 'path'));
}

function rulesOf({ json }: ApiAnswer): string[] {
  return listAt(json, 'error.details.fields').map((field) => textAt(field, 'rule'));
}

async function setStatus(partnerId: string, status: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('update kelpie.partners set status = $2 where id = $1', [partnerId, status]),
  );
}

const noKey = { method: 'POST', headers: {} };
const unreadable = '{"amount_gbp":';
const wrongShape = payoutBody({ amount_gbp: 1 });
const tooSmall = payoutBody({ amount_gbp: '0.99' });
const tooMuch = payoutBody({ amount_gbp: '19000.00' });

test('on payout creation each check comes before the next: who, key, JSON, shape, replay, status, range, funds', async () => {
  const own = await newClient();
  const key = randomUUID();
  const made = await createPayout(own, payoutBody(), key);
  assert.equal(made.status, 201, made.text);
  assert.equal(said(await call(nobody, '/v1/payouts', { ...noKey, body: unreadable })), '401 unauthorized');
  assert.equal(said(await call(own, '/v1/payouts', { ...noKey, body: unreadable })), '400 idempotency_key_required');
  assert.equal(said(await createPayout(own, unreadable)), '400 invalid_json');
  assert.equal(said(await createPayout(own, wrongShape, key)), '422 invalid_amount');
  assert.equal(said(await createPayout(own, tooSmall)), '422 invalid_amount');
  assert.equal(said(await createPayout(own, tooMuch)), '402 insufficient_funds');
  await setStatus(own.partnerId, 'suspended');
  // The status is remembered for a moment; what needs no look at it is tried first.
  const replayed = await createPayout(own, payoutBody(), key);
  assert.deepEqual([replayed.status, replayed.id], [200, made.id]);
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
  assert.equal(said(await createPayout(own, tooSmall, key)), '422 idempotency_key_reused');
  assert.equal(said(await createPayout(own, wrongShape)), '422 invalid_amount');
  assert.equal(said(await createPayout(own, payoutBody())), '403 partner_not_active');
  assert.equal(said(await createPayout(own, tooMuch)), '403 partner_not_active');
});

test('a body is not even read for a caller without a key of ours, or without an Idempotency-Key', async () => {
  const huge = `{"amount_gbp": "${'1'.repeat(100_000)}"}`;
  assert.equal(said(await call(nobody, '/v1/payouts', { method: 'POST', body: huge })), '401 unauthorized');
  assert.equal(said(await call(client, '/v1/payouts', { method: 'POST', body: huge })), '400 idempotency_key_required');
  assert.equal(said(await createPayout(client, huge)), '413 payload_too_large');
});

test('an Idempotency-Key of another form is refused with the form it must have', async () => {
  for (const key of ['', 'short', 'x'.repeat(101), 'with space', 'ümlaut-key', 'a|b|c|d|e', 'twelve,chars']) {
    const refused = await createPayout(client, payoutBody(), encodeHeader(key));
    assert.equal(said(refused), '400 idempotency_key_required', key);
    assert.equal(valueAt(refused.json, 'error.details.pattern'), String.raw`^[A-Za-z0-9_\-:.]{8,100}$`);
    assert.match(textAt(refused.json, 'error.message'), /malformed/, key);
  }
  const missing = await call(client, '/v1/payouts', { method: 'POST', body: payoutBody() });
  assert.match(textAt(missing.json, 'error.message'), /header is required/);
  for (const key of [`A_-:.${randomUUID()}`.slice(0, 8), `Az09_-:.${randomUUID()}`, 'x'.repeat(100)])
    assert.equal((await createPayout(client, payoutBody(), key)).status, 201, key);
});

/** A header carries bytes: whatever is not ASCII goes as its bytes in UTF-8. */
function encodeHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}

test('a payout names its Idempotency-Key, wherever it is shown', async () => {
  const own = await newClient();
  const key = `order:${randomUUID()}`;
  const made = await createPayout(own, payoutBody(), key);
  const listed = await call(own, '/v1/payouts');
  const found = await call(own, `/v1/payouts?idempotency_key=${key}`);
  const shown = [
    made.json,
    (await createPayout(own, payoutBody(), key)).json,
    (await getPayout(own, made.id)).json,
    valueAt(listed.json, 'data.0'),
    valueAt(found.json, 'data.0'),
  ];
  assert.deepEqual(
    shown.map((payout) => [textAt(payout, 'id'), textAt(payout, 'idempotency_key')]),
    shown.map(() => [made.id, key]),
  );
});

test('a body that is not a JSON object is 400, and never 422', async () => {
  for (const body of ['[]', 'null', '"x"', '1', '', ' ', '{', '{"a":1,}', "{'a':1}", '{"__proto__":{}}'])
    assert.equal(said(await createPayout(client, body)), '400 invalid_json', body);
});

interface Field {
  path: string;
  wrong: readonly unknown[];
  right?: readonly unknown[];
}

/** What no text is, and what no database can hold. */
const textWrong = [null, 1, true, [], {}, 'a\u0000', '\u0000', '\ud83d', 'a\udc00b'];
/** What the specification lets through, however odd it looks. */
const oddTexts = [' ', '\u00a0 ', '\u200b', 'a\nb', 'a\tb', 'a\u007f', 'a\u0085b', 'a\u2028b', '\n'];
/** What turns text round, or hides in it. */
const hidden = [
  '\u202e',
  'Ada\u202egpj',
  '\u2066x',
  'x\u200f',
  '\u061c1',
  '\u200b',
  'A\u200bda',
  'A\u200dda',
  '\ufeffAda',
  'A\u{e0041}',
];
const oddNames = oddTexts.filter((text) => !hidden.includes(text));
const anyText = ['', ...oddTexts, 'x'.repeat(1_000)];
const names = [
  'A',
  'x'.repeat(80),
  '👩‍👩‍👧',
  '👩'.repeat(80),
  ' Ada',
  'O’Neil-Šípková',
  // Persian, Sinhala and Hindi are written with joiners.
  'علی‌رضا',
  'ක්‍රිස්',
  'क्‍ष',
  "'; drop table payouts; --",
  '=1+1',
  '<b>',
];

/** Every field of a payout that is a text, with what it refuses and what it takes. */
const fields: readonly Field[] = [
  {
    path: 'reference',
    wrong: [...textWrong, 'x'.repeat(121)],
    right: ['', ...oddTexts, 'x'.repeat(120), '👩'.repeat(120)],
  },
  {
    path: 'recipient.first_name',
    wrong: [...textWrong, ...hidden, '', 'x'.repeat(81)],
    right: [...oddNames, ...names],
  },
  { path: 'recipient.last_name', wrong: [...textWrong, ...hidden, '', 'x'.repeat(81)], right: [...oddNames, ...names] },
  { path: 'recipient.type', wrong: [null, '', 'person', 'INDIVIDUAL', 1, []], right: ['individual', 'business'] },
  { path: 'recipient.email', wrong: [null, 1, '', 'x', 'x@', '@x', 'a b@example.test'], right: ['a.b+c@example.test'] },
  { path: 'recipient.address', wrong: [null, 1, 'x', []] },
  { path: 'recipient.address.line1', wrong: textWrong, right: anyText },
  { path: 'recipient.address.line2', wrong: textWrong, right: anyText },
  { path: 'recipient.address.city', wrong: textWrong, right: anyText },
  { path: 'recipient.address.postal_code', wrong: textWrong, right: anyText },
  { path: 'recipient.address.region', wrong: [...textWrong, 'x'.repeat(81)], right: ['', ...oddTexts, 'x'.repeat(80)] },
  { path: 'recipient.bank', wrong: [null, 1, 'x', []] },
  { path: 'recipient.bank.bank_name', wrong: textWrong, right: anyText },
  {
    path: 'recipient.bank.sort_code',
    wrong: [null, 40004, '04000', '0400045', '04-00-04', '04000a', '０４０００４', ' 040004', '040004\n'],
    right: ['040004', '000000'],
  },
  {
    path: 'recipient.bank.account_number',
    wrong: [null, 12345678, '1234567', '123456789', '1234567a', '12345678\n'],
    right: ['12345678'],
  },
  { path: 'confirm_code', wrong: [null, 123456, '12345', '1234567', 'abcdef'], right: ['123456'] },
];

/** The body with another value at a path of dots. */
function withValue(path: string, value: unknown): Record<string, unknown> {
  const body = structuredClone(payoutBody());
  const outer = path.split('.');
  const last = outer.pop() ?? '';
  const target = outer.length === 0 ? body : valueAt(body, outer.join('.'));
  assert(typeof target === 'object' && target !== null);
  if (value === undefined) Reflect.deleteProperty(target, last);
  else Object.defineProperty(target, last, { value, enumerable: true });
  return body;
}

for (const { path, wrong, right = [] } of fields) {
  test(`${path} takes what it should, and refuses the rest by its own name`, async () => {
    const code = path.startsWith('recipient') ? 'invalid_recipient' : 'invalid_request';
    for (const value of wrong) {
      const refused = await createPayout(client, withValue(path, value));
      assert.equal(said(refused), `422 ${code}`, JSON.stringify(value));
      assert.deepEqual(pathsOf(refused), [path], JSON.stringify(value));
    }
    for (const value of right) {
      const made = await createPayout(client, withValue(path, value));
      assert.equal(made.status, 201, `${JSON.stringify(value)} ${made.text}`);
    }
  });
}

const wrongAmounts = [
  null,
  undefined,
  1,
  1.5,
  true,
  [],
  {},
  '',
  '1',
  '1.0',
  '1.000',
  '-1.00',
  '+1.00',
  '1e3',
  'NaN',
  '1,00',
  ' 1.00',
  '1.00\n',
  '１.００',
  '٣.٠٠',
  '0.00',
  '0.99',
  '20000.01',
  `${'9'.repeat(17)}.00`,
  `${'9'.repeat(40)}.00`,
];

test('faults 53: only amounts in the right form and range are taken, for payouts and for quotes', async () => {
  for (const value of wrongAmounts) {
    const refused = await createPayout(client, withValue('amount_gbp', value));
    assert.equal(said(refused), '422 invalid_amount', JSON.stringify(value));
    assert.deepEqual(pathsOf(refused), ['amount_gbp']);
    const noQuote = await quote(value === undefined ? {} : { amount_gbp: value });
    assert.equal(said(noQuote), '422 invalid_amount', JSON.stringify(value));
    assert.deepEqual(pathsOf(noQuote), ['amount_gbp']);
  }
  for (const value of ['1.00', '007.00', '20000.00', '00000000000000001.00', `${'0'.repeat(30_000)}1.00`])
    assert.equal((await quote({ amount_gbp: value })).status, 200, value);
});

test('leading zeros are dropped, however many there are', async () => {
  for (const text of ['007.00', '0000000000000000000000007.00']) {
    const made = await createPayout(client, payoutBody({ amount_gbp: text }));
    assert.equal(valueAt(made.json, 'amount_gbp'), '7.00');
  }
  assert.equal(valueAt((await quote({ amount_gbp: '007.00' })).json, 'seller_receives_gbp'), '7.00');
});

test('a country other than GB is a corridor that is not enabled', async () => {
  for (const country of ['FR', 'gb', 'UK', '', null, 1]) {
    assert.equal(said(await createPayout(client, payoutBody({ country }))), '422 corridor_not_enabled');
    assert.equal(said(await quote({ amount_gbp: '1.00', country })), '422 corridor_not_enabled');
  }
  assert.equal((await quote({ amount_gbp: '1.00', country: 'GB' })).status, 200);
});

test('the code is that of the amount before the recipient, before the country, before the rest', async () => {
  const wrong = { amount_gbp: 1, country: 'FR', reference: 1 };
  const noRecipient = { recipient: {} };
  assert.equal(said(await createPayout(client, payoutBody({ ...wrong, ...noRecipient }))), '422 invalid_amount');
  const { amount_gbp: _, ...rest } = wrong;
  assert.equal(said(await createPayout(client, payoutBody({ ...rest, ...noRecipient }))), '422 invalid_recipient');
  assert.equal(said(await createPayout(client, payoutBody(rest))), '422 corridor_not_enabled');
  assert.equal(said(await createPayout(client, payoutBody({ reference: 1 }))), '422 invalid_request');
});

/** Every field that a recipient needs. */
const neededFields = [
  'recipient.address.city (string)',
  'recipient.address.line1 (string)',
  'recipient.address.postal_code (string)',
  'recipient.bank.account_number (8 digits)',
  'recipient.bank.bank_name (string)',
  'recipient.bank.sort_code (6 digits)',
  'recipient.first_name (1 to 80 characters)',
  'recipient.last_name (1 to 80 characters)',
];

function missingIn(answer: ApiAnswer): string[] {
  return listAt(answer.json, 'error.details.missing').map(String).toSorted();
}

test('all that is missing is named at once, with what it must look like', async () => {
  const empty = await createPayout(client, { recipient: { address: {}, bank: {} } });
  assert.equal(said(empty), '422 invalid_amount');
  assert.deepEqual(missingIn(empty), neededFields);
  assert.equal(pathsOf(empty).length, 9);
  const without = await createPayout(client, { amount_gbp: '1.00' });
  assert.equal(said(without), '422 invalid_recipient');
  assert.deepEqual(missingIn(without), neededFields);
  const bankFields = neededFields.filter((field) => field.startsWith('recipient.bank.'));
  for (const value of [undefined, null, 'x'])
    assert.deepEqual(missingIn(await createPayout(client, withValue('recipient.bank', value))), bankFields);
});

test('a malformed field is named with its rule too, and an unknown one is not', async () => {
  const expected: readonly [path: string, value: unknown, missing: string[]][] = [
    ['recipient.bank.sort_code', '04-00-04', ['recipient.bank.sort_code (6 digits)']],
    ['recipient.bank.account_number', 12345678, ['recipient.bank.account_number (8 digits)']],
    ['recipient.first_name', '', ['recipient.first_name (1 to 80 characters)']],
    ['recipient.email', 'x', ['recipient.email (an email address)']],
    ['recipient.type', 'robot', ['recipient.type (individual or business)']],
    ['recipient.address.region', 'x'.repeat(81), ['recipient.address.region (at most 80 characters)']],
    ['recipient.address.line2', 1, ['recipient.address.line2 (string)']],
    ['recipient.bank.iban', 'x', []],
  ];
  for (const [path, value, missing] of expected)
    assert.deepEqual(missingIn(await createPayout(client, withValue(path, value))), missing, path);
});

test('a blank reference, second address line or region is none, for a repeated key too', async () => {
  const key = randomUUID();
  const blank = { line2: ' ', region: '', line1: canaries.line1, city: 'Leeds', postal_code: 'LS1 1AA' };
  const made = await createPayout(client, payoutBody({ reference: ' \n' }, { address: blank }), key);
  assert.deepEqual([made.status, valueAt(made.json, 'reference')], [201, null]);
  const { reference: _reference, ...without } = payoutBody();
  const repeated = await createPayout(client, without, key);
  assert.deepEqual([repeated.status, repeated.id], [200, made.id], repeated.text);
});

test('an unknown field is refused at every level, by its own name', async () => {
  for (const path of ['amount', 'recipient.name', 'recipient.address.country', 'recipient.bank.iban']) {
    const refused = await createPayout(client, withValue(path, 'x'));
    assert.deepEqual(pathsOf(refused), [path]);
    assert.deepEqual(rulesOf(refused), ['is not accepted here']);
  }
  assert.deepEqual(pathsOf(await quote({ amount_gbp: '1.00', amount: '1.00' })), ['amount']);
});

test('a rule is said in words that a newcomer can follow, once for each field', async () => {
  const rules: readonly [path: string, value: unknown, rule: string][] = [
    ['amount_gbp', '1', 'must be a string with two decimals, for example "850.00"'],
    ['amount_gbp', '0.99', 'must be from 1.00 to 20000.00'],
    ['country', 'FR', 'must be GB'],
    ['recipient.first_name', '', 'must not be empty'],
    ['reference', 'a\u0000b', 'must not contain NUL characters or unpaired surrogates'],
    ['recipient.type', 'person', 'must be individual or business'],
    ['recipient.email', 'x', 'must be an email address'],
    ['recipient.bank.sort_code', '04-00-04', 'must be 6 digits'],
    ['recipient.bank.account_number', '1', 'must be 8 digits'],
  ];
  for (const [path, value, rule] of rules)
    assert.deepEqual(rulesOf(await createPayout(client, withValue(path, value))), [rule], path);
});

test('faults 54: a hostile text as long as a body can be is refused at once, in any field', async () => {
  const long = `${'a'.repeat(60_000)}\n`;
  for (const path of [
    'reference',
    'amount_gbp',
    'recipient.first_name',
    'recipient.email',
    'recipient.bank.sort_code',
  ]) {
    for (const text of [long, ' '.repeat(60_000), `a@${'a'.repeat(60_000)}`, '1'.repeat(60_000)]) {
      const began = performance.now();
      assert.equal((await createPayout(client, withValue(path, text))).status, 422);
      const tookMs = performance.now() - began;
      assert(tookMs < 1_500, `${path}: ${Math.round(tookMs)} ms`);
    }
  }
});

test('a quote adds up: the parts sum to the fee, and the wallet sends what the payout then takes', async () => {
  for (const amount of ['1.00', '33.33', '50.50', '100.00', '7800.01']) {
    const { json } = await quote({ amount_gbp: amount });
    const pence = (path: string): bigint => BigInt(textAt(json, path).replace('.', ''));
    assert.equal(
      pence('fee_breakdown.taken_in_transfer_gbp') + pence('fee_breakdown.on_monthly_invoice_gbp'),
      pence('fee_gbp'),
    );
    const own = await newClient();
    const made = await createPayout(own, payoutBody({ amount_gbp: amount }));
    assert.deepEqual(valueAt(made.json, 'quote'), json);
    assert.equal(valueAt(made.json, 'wallet_sent_usdc'), valueAt(json, 'wallet_sends_usdc'));
  }
});

test('every route asks for a key', async () => {
  for (const [method, path] of [
    ['POST', '/v1/quotes'],
    ['POST', '/v1/payouts'],
    ['GET', '/v1/payouts'],
    ['GET', `/v1/payouts/${randomUUID()}`],
    ['POST', `/v1/payouts/${randomUUID()}/cancel`],
    ['GET', '/v1/balance'],
  ] as const) {
    for (const key of ['', 'x', `kp_sandbox_${'0'.repeat(48)}`, partner.key.toUpperCase(), `${partner.key}0`])
      assert.equal(said(await call({ url: api.url, key }, path, { method })), '401 unauthorized', `${method} ${path}`);
  }
});

test('a balance rounds down, in USDC and in pounds', async () => {
  const own = await newClient();
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('update kelpie.wallets set balance_micro_usdc = 1009999 where partner_id = $1', [own.partnerId]),
  );
  assert.deepEqual((await call(own, '/v1/balance')).json, {
    object: 'balance',
    usdc: '1.00',
    approx_gbp: '0.79',
    gbp_per_usd: 0.79,
  });
});

test('what is short is said to the cent, rounded up, so that topping it up is enough', async () => {
  const own = await newClient();
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('update kelpie.wallets set balance_micro_usdc = 1009999 where partner_id = $1', [own.partnerId]),
  );
  const refused = await createPayout(own, payoutBody());
  assert.deepEqual(valueAt(refused.json, 'error.details'), {
    available_usdc: '1.00',
    required_usdc: '1.92',
    shortfall_usdc: '0.92',
  });
});

test('a list takes a limit from 1 to 200, and says so of any other', async () => {
  for (const limit of ['0', '201', '1.5', 'abc', '', '-1', '1e2', ' 1', '01', '1&limit=2']) {
    const refused = await call(client, `/v1/payouts?limit=${limit}`);
    assert.equal(said(refused), '422 invalid_request', limit);
    assert.deepEqual(pathsOf(refused), ['limit']);
  }
  assert.deepEqual(rulesOf(await call(client, '/v1/payouts?limit=0')), ['must be an integer from 1 to 200']);
  const own = await newClient();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await createPayout(own)).id);
  const listed = async (query: string) =>
    listAt((await call(own, `/v1/payouts${query}`)).json, 'data').map((payout) => textAt(payout, 'id'));
  assert.deepEqual(await listed(''), ids);
  assert.deepEqual(await listed('?limit=200'), ids);
  assert.deepEqual(await listed('?limit=1'), ids.slice(0, 1));
});

test('the environment in a query is ignored for a key, whatever it says', async () => {
  const { id } = await createPayout(client);
  for (const query of ['environment=live', 'environment=', 'environment=x', 'environment=a&environment=b']) {
    for (const path of ['/v1/payouts', `/v1/payouts/${id}`, '/v1/balance'])
      assert.equal((await call(client, `${path}?${query}`)).status, 200, `${path}?${query}`);
  }
});

test("an id that is malformed, unknown or another partner's is 404, and they look the same", async () => {
  const own = await newClient();
  const { id } = await createPayout(own);
  assert.equal((await getPayout(own, id)).status, 200);
  assert.equal((await getPayout(own, id.toUpperCase())).status, 200);
  for (const other of [id, randomUUID()]) assert.equal(said(await getPayout(client, other)), '404 not_found');
  assert.deepEqual((await getPayout(client, id)).json, (await getPayout(client, randomUUID())).json);
  for (const malformed of [
    'x',
    '1',
    `${id}0`,
    id.replaceAll('-', ''),
    `urn:uuid:${id}`,
    `{${id}}`,
    '%00',
    '%F0%9F%98%80',
    "'",
  ]) {
    assert.equal(said(await getPayout(own, malformed)), '404 not_found', malformed);
    const cancelled = await call(own, `/v1/payouts/${malformed}/cancel`, { method: 'POST' });
    assert.equal(said(cancelled), '404 not_found', malformed);
  }
});

test('faults 56: no bank detail is in any answer or in any line of the log', async () => {
  const own = await newClient();
  const key = randomUUID();
  const made = await createPayout(own, payoutBody(), key);
  const answers = [
    made,
    await createPayout(own, payoutBody(), key),
    await createPayout(own, payoutBody({}, bankOf('77310000'))),
    await createPayout(own, payoutBody({ amount_gbp: '2.00' }), key),
    await createPayout(own, payoutBody({ amount_gbp: '1' })),
    await createPayout(own, tooMuch),
    await createPayout(own, withValue('recipient.bank.sort_code', `${canaries.sortCode}0`)),
    await createPayout(own, withValue('recipient.email', `${canaries.email} `)),
    await getPayout(own, made.id),
    await call(own, '/v1/payouts'),
  ];
  for (const { text } of answers)
    for (const secret of Object.values(canaries)) assert(!text.includes(secret), `${secret} in ${text}`);
  const lines = api.output();
  for (const secret of [...Object.values(canaries), 'Canaryname', own.key]) assert(!lines.includes(secret), secret);
});
