import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents } from '../../src/ledger/index.ts';
import type { PayoutState } from '../../src/payouts/model/payout.ts';
import type { BankFacts, TransitionStep } from '../../src/payouts/model/transition.ts';
import { applyTransitions } from '../../src/payouts/records/apply-transitions.ts';
import { createPayouts, type CreateOutcome, type NewPayout } from '../../src/payouts/records/create-payouts.ts';
import { findPayout } from '../../src/payouts/records/payout-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createFundedPartner, newLimitedPayout, plantKeyLimit, plantLimits } from '../harness/limited-payouts.ts';
import { addKey, type TestPartner } from '../harness/partners.ts';

// The daily limits as the commit that creates a payout judges them. Each test has a partner of its own.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);

/** As in "created", "daily 50000.00 left 10000.00" or "insufficient_funds". */
function inWords(outcome: CreateOutcome): string {
  if (outcome.kind !== 'limit_exceeded') return outcome.kind;
  const { limit, limitPence, leftPence } = outcome.exceeded;
  return `${limit} ${Number(limitPence) / 100} left ${Number(leftPence) / 100}`;
}

async function create(...batch: NewPayout[]): Promise<string[]> {
  return (await createPayouts(calls, batch)).map(inWords);
}

/** What is counted of a partner, by what it counts toward: nothing that is at zero. */
async function counted({ partnerId }: TestPartner): Promise<Record<string, number>> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ what: string; pounds: number }>(
      `select on_day || case length(subject) when 0 then '' when 16 then ' key' else ' payee' end as what,
         sum(spent_pence)::int / 100 as pounds
       from kelpie.daily_spending where partner_id = $1 and spent_pence > 0 group by 1 order by 1`,
      [partnerId],
    ),
  );
  return Object.fromEntries(rows.map(({ what, pounds }) => [what, pounds]));
}

const noon = new Date('2026-11-16T12:00:00Z');
const nextNoon = new Date('2026-11-17T12:00:00Z');

function atNoon(partner: TestPartner, pounds: string): NewPayout {
  return newLimitedPayout(partner, { pounds, at: noon });
}

interface Change {
  to: PayoutState;
  bankFacts?: BankFacts;
  at?: Date;
  /** Where money moves, why. */
  what?: string;
  lines?: TransitionStep['lines'];
}

async function change({ payout: { partnerId, environment, id } }: NewPayout, ...changes: Change[]): Promise<void> {
  for (const { to, bankFacts = {}, at = noon, what = 'noted', lines = [] } of changes) {
    const payout = await findPayout(calls, { partnerId, environment }, id);
    assert(payout !== null);
    const failure = { code: 'unknown', reason: 'why' } as const;
    const steps = [{ to, what, detail: null, lines }];
    const facts = { failure, ...bankFacts };
    const transition = { at, by: 'test', steps, bankFacts: facts, schedule: { kind: 'close' } } as const;
    assert.deepEqual(await applyTransitions(calls, systemClock, [{ payout, transition }]), [true]);
  }
}

function released({ payout: { walletDebit: held } }: NewPayout): Pick<Change, 'what' | 'lines'> {
  return { what: 'released', lines: ledgerEvents.released({ held }) };
}

/** The bank gave back all that it took. */
function refunded({ payout: { walletDebit } }: NewPayout): Pick<Change, 'bankFacts' | 'lines'> {
  const amounts = { held: walletDebit, byBank: walletDebit, refund: walletDebit };
  return { bankFacts: { bankRefunded: walletDebit }, lines: ledgerEvents.refundedAfterFailure(amounts) };
}

/** The bank has it, and took what was held. */
function accepted({ payout: { id, walletDebit: byBank } }: NewPayout): Change {
  const bankFacts = { bankPaymentId: id, bankDebited: byBank };
  return { to: 'processing', bankFacts, what: 'bank_accepted', lines: ledgerEvents.taken({ byBank }) };
}

test('faults 68: a live partner pays 50,000.00 a day without a setting, to the penny, and again the next day', async () => {
  const partner = await createFundedPartner(database);
  const pay = async (pounds: string, at = noon) => create(newLimitedPayout(partner, { pounds, at }));
  assert.deepEqual(await pay('20000.00'), ['created']);
  assert.deepEqual(await pay('20000.00'), ['created']);
  assert.deepEqual(await pay('10000.01'), ['daily 50000 left 10000']);
  assert.deepEqual(await pay('10000.00'), ['created']);
  assert.deepEqual(await pay('0.01'), ['daily 50000 left 0']);
  assert.deepEqual(await pay('20000.00', nextNoon), ['created']);
  await assertBooksHold(database);
});

test('payouts of one batch have their turns in order of arrival: a refused one uses up neither a limit nor funds', async () => {
  const partner = await createFundedPartner(database, { pounds: 52_000n });
  const wish = (pounds: string) => newLimitedPayout(partner, { pounds, at: noon });
  const batch = ['20000.00', '19000.00', '12000.00', '11000.00', '0.01', '2000.00'].map(wish);
  assert.deepEqual(await create(...batch), [
    'created',
    'created',
    'daily 50000 left 11000',
    'created',
    'daily 50000 left 0',
    'daily 50000 left 0',
  ]);
  await assertBooksHold(database);
});

test('what the wallet does not cover uses up no limit, within a batch and after it', async () => {
  const partner = await createFundedPartner(database, { pounds: 30_000n });
  await plantLimits(database, partner, { daily: '40000.00', newPayee: '1000000.00' });
  const wish = (pounds: string) => newLimitedPayout(partner, { pounds, at: noon });
  const batch = ['20000.00', '15000.00', '10000.00', '20000.00', '0.01'].map(wish);
  assert.deepEqual(await create(...batch), [
    'created',
    'insufficient_funds',
    'created',
    'daily 40000 left 10000',
    'insufficient_funds',
  ]);
  assert.deepEqual(await counted(partner), {
    '2026-11-16': 30_000,
    '2026-11-16 key': 30_000,
    '2026-11-16 payee': 30_000,
  });
  await assertBooksHold(database);
});

test('a limit is told before missing funds, and of several limits the one with the least left', async () => {
  const partner = await createFundedPartner(database, { pounds: 25_000n });
  await plantKeyLimit(database, partner.keyId, { daily: '30000.00' });
  const to = 'one account';
  const wish = (pounds: string) => newLimitedPayout(partner, { pounds, to, at: noon });
  assert.deepEqual(await create(wish('15000.00')), ['created']);
  assert.deepEqual(await create(wish('40000.00')), ['new_payee 20000 left 5000']);
  await plantLimits(database, partner, { daily: '20000.00', newPayee: '20000.00' });
  assert.deepEqual(await create(wish('6000.00')), ['daily 20000 left 5000'], 'as much is left of both');
  await plantKeyLimit(database, partner.keyId, { daily: '16000.00' });
  assert.deepEqual(await create(wish('6000.00')), ['key 16000 left 1000']);
  await plantKeyLimit(database, partner.keyId, { daily: '10000.00' });
  assert.deepEqual(await create(wish('0.01')), ['key 10000 left 0'], 'lowered below what was spent');
});

test("a key's own limit is the key's alone", async () => {
  const partner = await createFundedPartner(database);
  const second = await addKey(database, partner);
  await plantKeyLimit(database, second.keyId, { daily: '500.00' });
  const by = (key: { key: string; keyId: string }, pounds: string) =>
    newLimitedPayout(partner, { pounds, by: key, at: noon });
  assert.deepEqual(
    await create(by(second, '400.00'), by(partner, '5000.00'), by(second, '100.01'), by(second, '100.00')),
    ['created', 'created', 'key 500 left 100', 'created'],
  );
});

test('a new key pays 1,000.00 a day until its full limit holds, also where its own limit is higher or lower', async () => {
  const partner = await createFundedPartner(database);
  const fullLimitAt = new Date(noon.getTime() + 60 * 60_000);
  const after60 = new Date(fullLimitAt);
  const wish = (pounds: string, at = noon) => newLimitedPayout(partner, { pounds, at });
  await plantKeyLimit(database, partner.keyId, { fullLimitAt });
  assert.deepEqual(await create(wish('1000.01'), wish('600.00'), wish('400.01'), wish('400.00')), [
    'key 1000 left 1000',
    'created',
    'key 1000 left 400',
    'created',
  ]);
  // In one batch, before and after: the second has no limit of a new key any more.
  assert.deepEqual(await create(wish('1.00'), wish('5000.00', after60)), ['key 1000 left 0', 'created']);
  await plantKeyLimit(database, partner.keyId, { fullLimitAt, daily: '7000.00' });
  assert.deepEqual(await create(wish('1.00', after60), wish('1000.00', after60)), ['created', 'key 7000 left 999']);
  await plantKeyLimit(database, partner.keyId, { fullLimitAt, daily: '100.00' });
  assert.deepEqual(await create(wish('1.00')), ['key 100 left 0']);
});

test('a new payee gets 20,000.00 a day in all; once a payout to it is completed, it is new no more', async () => {
  const partner = await createFundedPartner(database);
  const other = await createFundedPartner(database);
  const to = 'Grace';
  const wish = (pounds: string, of = partner) => newLimitedPayout(of, { pounds, to, at: noon });
  const first = wish('12000.00');
  assert.deepEqual(await create(first, wish('8000.01'), newLimitedPayout(partner, { pounds: '9000.00', at: noon })), [
    'created',
    'new_payee 20000 left 8000',
    'created',
  ]);
  const { walletDebit: held, fee, providerFee } = first.payout;
  await change(first, accepted(first));
  assert.deepEqual(await create(wish('8000.01')), ['new_payee 20000 left 8000'], 'it has not arrived yet');
  const charged = ledgerEvents.feeEarned({ invoiceShare: fee - providerFee });
  const lines = [...ledgerEvents.arrived({ held, byBank: held }), ...charged];
  await change(first, { to: 'completed', what: 'arrived', lines });
  assert.deepEqual(await create(wish('15000.00')), ['created']);
  assert.deepEqual(await create(wish('20000.00', other), wish('0.01', other)), ['created', 'new_payee 20000 left 0']);
});

test('sandbox has no limits unless they are set; then they hold there too', async () => {
  const partner = await createFundedPartner(database, { environment: 'sandbox' });
  const wish = (pounds: string, to?: string) =>
    newLimitedPayout(partner, { pounds, at: noon, ...(to === undefined ? {} : { to }) });
  assert.deepEqual(await create(wish('90000.00'), wish('90000.00')), ['created', 'created']);
  assert.deepEqual(await counted(partner), {});
  await plantLimits(database, partner, { daily: '30000.00', newPayee: null, highest: null });
  assert.deepEqual(await create(wish('20000.00'), wish('10000.01'), wish('10000.00')), [
    'created',
    'daily 30000 left 10000',
    'created',
  ]);
  await plantLimits(database, partner, { daily: null, newPayee: '20000.00', highest: null });
  assert.deepEqual(await create(wish('20000.00', 'x'), wish('1.00', 'x'), wish('1.00', 'y')), [
    'created',
    'new_payee 20000 left 0',
    'created',
  ]);
});

test('a key of the sandbox may have a limit of its own, without any other', async () => {
  const partner = await createFundedPartner(database, { environment: 'sandbox' });
  await plantKeyLimit(database, partner.keyId, { daily: '10.00' });
  const wish = (pounds: string) => newLimitedPayout(partner, { pounds, at: noon });
  assert.deepEqual(await create(wish('10.00'), wish('0.01')), ['created', 'key 10 left 0']);
});

test('a batch of many partners is judged for each by its own limits and its own wallet', async () => {
  const [rich, poor, free] = [
    await createFundedPartner(database),
    await createFundedPartner(database, { pounds: 100n }),
    await createFundedPartner(database, { environment: 'sandbox', pounds: 60_000n }),
  ];
  assert.deepEqual(
    await create(
      atNoon(free, '50000.00'),
      atNoon(rich, '20000.00'),
      atNoon(poor, '100.01'),
      atNoon(rich, '20000.00'),
      atNoon(free, '20000.00'),
      atNoon(rich, '20000.00'),
      atNoon(poor, '100.00'),
      atNoon(free, '10000.00'),
      atNoon(rich, '10000.00'),
    ),
    [
      'created',
      'created',
      'insufficient_funds',
      'created',
      'insufficient_funds',
      'daily 50000 left 10000',
      'created',
      'created',
      'created',
    ],
  );
  await assertBooksHold(database);
});

test('a refused payout leaves nothing behind: its key is free for another body', async () => {
  const partner = await createFundedPartner(database);
  const orderId = randomUUID();
  const wish = (pounds: string) => newLimitedPayout(partner, { pounds, orderId, at: noon });
  assert.deepEqual(await create(wish('50000.01')), ['new_payee 20000 left 20000']);
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query(`select from kelpie.idempotency_keys where order_id = $1`, [orderId]),
  );
  assert.equal(rows.length, 0);
  assert.deepEqual(await create(wish('20000.00')), ['created']);
});

test('what ends on its day without having been sent is given back to partner, key and payee, once', async () => {
  const partner = await createFundedPartner(database);
  const to = 'Grace';
  const made = newLimitedPayout(partner, { pounds: '20000.00', to, at: noon });
  assert.deepEqual(await create(made), ['created']);
  assert.deepEqual(await counted(partner), {
    '2026-11-16': 20_000,
    '2026-11-16 key': 20_000,
    '2026-11-16 payee': 20_000,
  });
  await change(made, { to: 'not_created', ...released(made) });
  assert.deepEqual(await counted(partner), {});
  await change(made, { to: 'not_created' }, { to: 'not_created' });
  assert.deepEqual(await counted(partner), {});
  const again = newLimitedPayout(partner, { pounds: '20000.00', to, at: noon });
  assert.deepEqual(await create(again), ['created']);
  await change(again, { to: 'pending' }, { to: 'failed', ...released(again) }, { to: 'failed' });
  assert.deepEqual(await counted(partner), {});
  await assertBooksHold(database);
});

test('what the bank cancelled is given back; what it sent and what came back is not', async () => {
  const partner = await createFundedPartner(database);
  const [cancelled, failed, returned] = [1, 2, 3].map((n) =>
    newLimitedPayout(partner, { pounds: `${n}000.00`, at: noon }),
  );
  assert(cancelled !== undefined && failed !== undefined && returned !== undefined);
  await create(cancelled, failed, returned);
  for (const made of [cancelled, failed, returned]) await change(made, accepted(made));
  await change(cancelled, { to: 'cancelled', what: 'cancelled', ...refunded(cancelled) });
  await change(failed, { to: 'failed' }, { to: 'failed', what: 'refunded', ...refunded(failed) });
  const { walletDebit: byBank } = returned.payout;
  const back = ledgerEvents.returnedBeforeArrival({ held: byBank, byBank, refund: byBank, to: 'wallet' });
  await change(returned, { to: 'returned', what: 'returned', bankFacts: { bankRefunded: byBank }, lines: back });
  assert.deepEqual(await counted(partner), { '2026-11-16': 5_000, '2026-11-16 key': 5_000, '2026-11-16 payee': 5_000 });
  await assertBooksHold(database);
});

test('what ends unsent on another day stays counted on its own, and uses up nothing of the new one', async () => {
  const partner = await createFundedPartner(database);
  const made = newLimitedPayout(partner, { pounds: '300.00', at: noon });
  await create(made);
  await change(made, { to: 'not_created', ...released(made), at: nextNoon });
  assert.deepEqual(await counted(partner), { '2026-11-16': 300, '2026-11-16 key': 300, '2026-11-16 payee': 300 });
  await assertBooksHold(database);
});

const midnights = [
  { day: 'in winter', last: '2026-01-15T23:59:59.999Z', next: '2026-01-16T00:00:00.000Z' },
  { day: 'in summer', last: '2026-07-15T22:59:59.999Z', next: '2026-07-15T23:00:00.000Z' },
  {
    day: 'of 23 hours',
    first: '2026-03-29T00:00:00Z',
    last: '2026-03-29T22:59:59.999Z',
    next: '2026-03-29T23:00:00.000Z',
  },
  {
    day: 'of 25 hours',
    first: '2026-10-24T23:00:00Z',
    last: '2026-10-25T23:59:59.999Z',
    next: '2026-10-26T00:00:00.000Z',
  },
];
for (const { day, first, last, next } of midnights) {
  test(`a day ${day} is counted from midnight to midnight in London`, async () => {
    const partner = await createFundedPartner(database);
    await plantKeyLimit(database, partner.keyId, { daily: '10.00' });
    const pay = async (at: string) => create(newLimitedPayout(partner, { pounds: '10.00', at: new Date(at) }));
    assert.deepEqual(await pay(first ?? last), ['created']);
    const [refused] = await createPayouts(calls, [newLimitedPayout(partner, { pounds: '10.00', at: new Date(last) })]);
    assert(refused?.kind === 'limit_exceeded');
    assert.equal(refused.exceeded.resetsAt.toISOString(), next);
    assert.deepEqual(await pay(next), ['created']);
  });
}

test('a retried order takes the same road: it is judged and counted anew', async () => {
  const partner = await createFundedPartner(database);
  await plantKeyLimit(database, partner.keyId, { daily: '100.00' });
  const orderId = randomUUID();
  const first = newLimitedPayout(partner, { pounds: '60.00', orderId, at: noon });
  await create(first);
  await change(first, { to: 'not_created', ...released(first) });
  await create(newLimitedPayout(partner, { pounds: '70.00', at: noon }));
  const retry = { attemptPayoutId: first.payout.id, attemptRevision: 2, bankRound: 2, roundBeganAt: noon };
  const again = (pounds: string) => newLimitedPayout(partner, { pounds, orderId, retry, at: noon });
  assert.deepEqual(await create(again('60.00')), ['key 100 left 30']);
  await plantKeyLimit(database, partner.keyId, { daily: '130.00' });
  assert.deepEqual(await create(again('60.00')), ['created']);
  assert.equal((await counted(partner))['2026-11-16'], 130);
  await assertBooksHold(database);
});

test('two batches at once never pass a limit, whichever is first', async () => {
  const partner = await createFundedPartner(database);
  const wish = () => newLimitedPayout(partner, { pounds: '3000.00', at: noon });
  const batches = Array.from({ length: 8 }, () => Array.from({ length: 4 }, wish));
  const outcomes = (await Promise.all(batches.map(async (batch) => create(...batch)))).flat();
  assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 16);
  assert.deepEqual(new Set(outcomes), new Set(['created', 'daily 50000 left 2000']));
});

test('the database itself refuses a counter above its limit, a limit below one payout, and live without limits', async () => {
  const { partnerId } = await createFundedPartner(database);
  const subject = createHash('sha256').update('x').digest();
  await asAdmin(database.superuserUrl, async (client) => {
    const refuse = async (sql: string) =>
      assert.rejects(client.query(sql, [partnerId]), /violates check constraint/, sql);
    await client.query(`insert into kelpie.daily_spending values ($1, 'live', '2026-11-16', $2, 1000, 1000)`, [
      partnerId,
      subject,
    ]);
    await refuse('update kelpie.daily_spending set spent_pence = 1001 where partner_id = $1');
    await refuse('update kelpie.daily_spending set spent_pence = -1 where partner_id = $1');
    for (const limits of [
      '1999999, 2000000, 5000000',
      '2000000, 1999999, 5000000',
      '5000001, 2000000, 5000000',
      'null, null, null',
    ])
      await refuse(`insert into kelpie.spending_limits values ($1, 'live', ${limits})`);
  });
});
