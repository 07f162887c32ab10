import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson, kelpieAdmin, type CommandResult } from '../app/commands/kelpie-admin.ts';
import { call, createPayout, getPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// What stops payments, whom it stops, and what its callers are told. The bank's record says what was sent.

const clock = createTestClock();
const world = await startWorld({ environment: 'live', env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const { bank, database } = world;

const clientOf = ({ key }: TestPartner): Client => ({ url: world.api.url, key });

async function pay(client: Client, amountGbp: string, key = randomUUID()): Promise<ApiAnswer> {
  return createPayout(client, payoutBody({ amount_gbp: amountGbp }), key);
}

/** The bank debits so much more for the next payout. */
async function payOddly(client: Client, amountGbp: string, byMicroUsdc: number): Promise<ApiAnswer> {
  await bank.control('/faults', {
    on: 'transfer.create',
    kind: 'take_different',
    micro_usdc: byMicroUsdc,
    times: 1,
  });
  const made = await pay(client, amountGbp);
  assert.equal(made.status, 201, made.text);
  return made;
}

function answerOf({ status, code, json }: ApiAnswer): unknown[] {
  return [status, code, valueAt(json, 'error.details.reason')];
}

interface Block {
  id: string;
  cause: string;
  partner: string | null;
  environment: string | null;
  reason: string;
}

async function blocks(): Promise<Block[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Block>(
      `select id, cause, partner_id as partner, environment, reason from kelpie.payment_blocks order by since, cause`,
    );
    return rows;
  });
}

async function causesOf({ partnerId }: TestPartner): Promise<string[]> {
  return (await blocks()).filter(({ partner }) => partner === partnerId).map(({ cause }) => cause);
}

async function liftAll(): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`select kelpie.lift_payment_block(id, 'a test', now(), 'test') from kelpie.payment_blocks`),
  );
}

async function blockRail(cause: 'rail_paused' | 'recovery'): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`select kelpie.add_payment_block($1, 'provider_production', null, null, 'a test', now(), 'test')`, [
      cause,
    ]),
  );
}

async function setPartner({ partnerId }: TestPartner, change: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`update kelpie.partners set ${change} where id = $1`, [partnerId]),
  );
}

test('an odd payout of 3.00 GBP opens no case and stops nobody', async () => {
  const made = await payOddly(clientOf(world.partner), '3.00', 60_000);
  assert.deepEqual(await blocks(), []);
  assert.equal((await pay(clientOf(world.partner), '10.00')).status, 201);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a large odd difference stops its own partner in live, and no other', async () => {
  const [odd, other] = [await world.addPartner(), await world.addPartner()];
  const made = await payOddly(clientOf(odd), '100.00', 5_000_000);
  assert.deepEqual(answerOf(await pay(clientOf(odd), '10.00')), [403, 'partner_not_active', undefined]);
  assert.equal((await pay(clientOf(other), '10.00')).status, 201);
  assert.equal((await call(clientOf(odd), '/v1/balance')).status, 200, 'it still sees what it has');
  assert.deepEqual(
    (await blocks()).map(({ cause, partner, environment, reason }) => ({ cause, partner, environment, reason })),
    [
      {
        cause: 'partner_paused',
        partner: odd.partnerId,
        environment: 'live',
        reason: `The bank debited 5.00 USDC more or less than expected for payout ${made.id}.`,
      },
    ],
  );
  await liftAll();
  assert.equal((await pay(clientOf(odd), '10.00')).status, 201);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('differences of three partners that add up to more than 1,000 USDC in a day pause the rail, and callers are told', async () => {
  await passTime({ clock, bank }, 25 * 3_600_000);
  const partners = [await world.addPartner(), await world.addPartner(), await world.addPartner()];
  const bystander = await world.addPartner();
  for (const [at, partner] of partners.entries()) {
    assert.equal((await pay(clientOf(bystander), '10.00')).status, 201, `after ${at} odd payouts`);
    await payOddly(clientOf(partner), '2000.00', 340_000_000);
  }
  const refused = await pay(clientOf(bystander), '10.00');
  assert.deepEqual(answerOf(refused), [502, 'payout_not_created', 'payments_paused']);
  assert.match(refused.text, /Payments are paused\. Nothing was sent\. Retry with the same Idempotency-Key\./);
  const paused = (await blocks()).find(({ cause }) => cause === 'rail_paused');
  assert.equal(paused?.reason, 'The bank debited 1020.00 USDC more or less than expected in 24 hours, for 3 partners.');
  await liftAll();
  assert.equal((await pay(clientOf(bystander), '10.00')).status, 201);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [] });
});

test('the differences of a day that add up to more than 2,500 USDC pause the rail, even of one partner', async () => {
  await passTime({ clock, bank }, 25 * 3_600_000);
  const [odd, other] = [await world.addPartner(), await world.addPartner()];
  await payOddly(clientOf(odd), '2000.00', 2_500_000_000);
  assert.equal((await pay(clientOf(other), '10.00')).status, 201, 'up to 2,500 USDC, it is the partner alone');
  await liftAll();
  await payOddly(clientOf(odd), '100.00', 2_000_000);
  assert.deepEqual(answerOf(await pay(clientOf(other), '10.00')), [502, 'payout_not_created', 'payments_paused']);
  await liftAll();
});

test('a rail that is closed for recovery says so', async () => {
  await blockRail('rail_paused');
  await blockRail('recovery');
  const refused = await pay(clientOf(world.partner), '10.00');
  assert.deepEqual(answerOf(refused), [502, 'payout_not_created', 'recovery']);
  assert.match(refused.text, /Payments are paused while we restore our records\. Nothing was sent\./);
  await liftAll();
});

async function idOf(key: string): Promise<string> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ id: string }>('select id from kelpie.payouts where idempotency_key = $1', [
      key,
    ]);
    assert(rows[0] !== undefined);
    return rows[0].id;
  });
}

/** When the worker looks at it next, and what it has done so far. */
async function progressOf(id: string): Promise<{ due: number; steps: string[] }> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ due: Date | null; steps: string[] }>(
      `select (select o.due_at from kelpie.payout_leases o where o.payout_id = $1) as due,
         array_agg(h.what order by h.number) as steps
       from kelpie.payout_history h where h.payout_id = $1`,
      [id],
    );
    return { due: rows[0]?.due?.getTime() ?? 0, steps: rows[0]?.steps ?? [] };
  });
}

/** A payout whose api process dies at this point of the call to the bank, while payments are open. */
async function payAndDie(partner: TestPartner, point: 'before' | 'after'): Promise<string> {
  const api = await world.addApi({ KELPIE_TEST_FAILPOINT: `bank.send_payment.${point}*1` });
  const key = randomUUID();
  await assert.rejects(pay({ url: api.url, key: partner.key }, '100.00', key));
  await api.exited;
  return idOf(key);
}

async function paymentsOf(id: string): Promise<number> {
  const order = await asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ order: string }>(
      'select order_id as order from kelpie.payouts where id = $1',
      [id],
    );
    return rows[0]?.order;
  });
  return (await bank.record()).payments.filter((one) => one.client_reference_id === order).length;
}

/** The worker has looked at a payout that waits, again. */
async function untilLookedAt(id: string): Promise<void> {
  const { due: before } = await progressOf(id);
  await eventually('the worker has looked at it', async () => {
    clock.move(10_000);
    return (await progressOf(id)).due > before + 30_000;
  });
}

test('faults 14: what waits is not sent while payments are blocked, and is sent once when the block is lifted', async () => {
  const partner = await world.addPartner();
  const client = clientOf(partner);
  const id = await payAndDie(partner, 'before');
  await blockRail('rail_paused');
  clock.move(10_000);
  await eventually('it is shown', async () => (await getPayout(client, id)).payout === 'pending');
  await untilLookedAt(id);
  await untilLookedAt(id);
  assert.deepEqual((await progressOf(id)).steps, ['created', 'not_known']);
  assert.equal(await paymentsOf(id), 0);
  await liftAll();
  await eventually('it arrives', async () => {
    clock.move(10_000);
    return (await getPayout(client, id)).payout === 'completed';
  });
  assert.equal(await paymentsOf(id), 1);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [id] });
});

test('faults 14: what the bank has already is found and followed while payments are blocked, and not sent again', async (t) => {
  await bank.control('/webhooks', { mode: 'lose' });
  t.after(async () => bank.control('/webhooks', { mode: 'normal' }));
  const partner = await world.addPartner();
  const id = await payAndDie(partner, 'after');
  await setPartner(partner, `screening = 'blocked'`);
  await eventually('it arrives', async () => {
    clock.move(10_000);
    return (await getPayout(clientOf(partner), id)).payout === 'completed';
  });
  assert(!(await progressOf(id)).steps.includes('tried_again'));
  assert.equal(await paymentsOf(id), 1);
  await setPartner(partner, `screening = 'clear'`);
  await untilQuiet(database);
  await assertAllHolds({ ...world, acknowledged: [id] });
});

test('screening under review or blocked closes live until it is clear again', async () => {
  const partner = await world.addPartner();
  for (const screening of ['review', 'blocked']) {
    await setPartner(partner, `screening = '${screening}'`);
    assert.deepEqual(await causesOf(partner), ['screening']);
    assert.deepEqual(answerOf(await pay(clientOf(partner), '10.00')), [403, 'partner_not_active', undefined]);
  }
  await setPartner(partner, `screening = 'clear'`);
  assert.deepEqual(await causesOf(partner), []);
  assert.equal((await pay(clientOf(partner), '10.00')).status, 201);
});

test('a suspended partner has a block for as long as it is suspended, and each is in the history', async () => {
  const partner = await world.addPartner();
  await setPartner(partner, `status = 'suspended'`);
  assert.deepEqual(await causesOf(partner), ['suspended']);
  assert.deepEqual(answerOf(await pay(clientOf(partner), '10.00')), [403, 'partner_not_active', undefined]);
  await setPartner(partner, `status = 'active'`);
  assert.equal((await pay(clientOf(partner), '10.00')).status, 201);
  const history = await asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ what: string }>(
      'select what from kelpie.payment_block_history where partner_id = $1 order by id',
      [partner.partnerId],
    );
    return rows.map(({ what }) => what);
  });
  assert.deepEqual(history, ['blocked', 'lifted']);
});

test('the service and operators neither add nor delete a block by themselves', async () => {
  for (const url of [database.serviceUrl, database.readerUrl, database.operatorUrl]) {
    for (const sql of [
      'delete from kelpie.payment_blocks',
      `insert into kelpie.payment_blocks (id, cause, rail, reason, since, by)
       values (gen_random_uuid(), 'rail_paused', 'provider_production', 'x', now(), 'x')`,
      `select kelpie.lift_payment_block(gen_random_uuid(), 'x', now(), 'x')`,
      `update kelpie.payment_block_history set by = 'x'`,
    ]) {
      await asAdmin(url, async (client) => assert.rejects(client.query(sql), { code: '42501' }, sql));
    }
  }
});

async function operate(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return kelpieAdmin(database, [...args, '--json'], { KELPIE_TEST_CLOCK_FILE: clock.file, ...env });
}

const why = ['--reason', 'ticket 812'];
const slugOf = ({ partnerId }: TestPartner): string => `p-${partnerId.slice(-12)}`;

/** Proposes it as one operator, and says what approval by each of two ends with. */
async function proposeAndApprove(args: readonly string[]): Promise<void> {
  const proposed = await operate(args);
  assert.equal(proposed.code, 0, proposed.said);
  const approve = ['approvals', 'approve', textAt(proposed.data(), 'id')];
  const own = await operate(approve);
  assert.equal(textAt(own.json(), 'error.code'), 'second_operator_required');
  const approved = await operate(approve, asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
}

test('one operator pauses a rail or a partner, the list says why, and two lift it', async () => {
  const partner = await world.addPartner();
  const client = clientOf(partner);
  const scopes = [
    [
      ['--rail', 'provider_production'],
      [502, 'payout_not_created', 'payments_paused'],
    ],
    [
      ['--partner', slugOf(partner), '--environment', 'live', '--cause', 'frozen'],
      [403, 'partner_not_active', undefined],
    ],
    [
      ['--partner', slugOf(partner)],
      [403, 'partner_not_active', undefined],
    ],
  ] as const;
  for (const [scope, answer] of scopes) {
    const paused = await operate(['rails', 'pause', ...scope, ...why]);
    assert.equal(paused.code, 0, paused.said);
    const again = await operate(['rails', 'pause', ...scope, ...why]);
    assert.equal(textAt(again.json(), 'error.code'), 'nothing_to_do');
    assert.deepEqual(answerOf(await pay(client, '10.00')), answer);
    const isFreeze = scope.some((word) => word === 'frozen');
    assert.equal(valueAt((await call(client, '/v1/account')).json, 'is_frozen'), isFreeze);
    const [block] = listAt((await operate(['rails', 'list'])).json(), 'data');
    assert.deepEqual(
      [valueAt(block, 'id'), valueAt(block, 'by'), valueAt(block, 'reason')],
      [textAt(paused.data(), 'id'), 'ada@kelpie.example', 'ticket 812'],
    );
    await proposeAndApprove(['rails', 'resume', textAt(paused.data(), 'id'), ...why]);
    assert.deepEqual(await blocks(), []);
    assert.equal((await pay(client, '10.00')).status, 201);
  }
  await untilQuiet(database);
});

test('a suspended or screened partner is opened again by its own command alone', async () => {
  const partner = await world.addPartner();
  const slug = slugOf(partner);
  await setPartner(partner, `verification_status = 'approved'`);
  for (const [close, open] of [
    [['partners', 'suspend', slug, ...why], 'partners activate'],
    [['partners', 'screening', slug, '--result', 'blocked', ...why], 'partners screening --result clear'],
  ] as const) {
    const closed = await operate(close);
    assert.equal(closed.code, 0, closed.said);
    const [block] = await blocks();
    assert.equal(block?.reason, 'ticket 812');
    const refused = await operate(['rails', 'resume', block.id, ...why]);
    assert.equal(refused.code, 2);
    assert.match(refused.said, new RegExp(`is lifted with .kelpie-admin ${open}`));
    assert.equal((await pay(clientOf(partner), '10.00')).status, 403);
    const opened = open === 'partners activate' ? ['activate', slug] : ['screening', slug, '--result', 'clear'];
    await proposeAndApprove(['partners', ...opened, ...why]);
    assert.equal((await pay(clientOf(partner), '10.00')).status, 201);
  }
  assert.deepEqual(await blocks(), []);
});

test('a proposal to lift a block that is lifted meanwhile ends as refused', async () => {
  const partner = await world.addPartner();
  const paused = await operate(['rails', 'pause', '--partner', slugOf(partner), ...why]);
  const proposed = await operate(['rails', 'resume', textAt(paused.data(), 'id'), ...why]);
  await liftAll();
  const late = await operate(['approvals', 'approve', textAt(proposed.data(), 'id')], asSecondPerson(database));
  assert.equal(late.code, 2);
  assert.match(late.said, /is no longer in force/);
  const shown = await operate(['approvals', 'show', textAt(proposed.data(), 'id')]);
  assert.equal(textAt(shown.data(), 'outcome'), 'refused');
});
