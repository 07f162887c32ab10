import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import * as fc from 'fast-check';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createEmptyArchive } from '../../../test/harness/empty-archive.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { book, makeMonths, type Booking } from '../../../test/billing/booked-wallets.ts';
import { openPool } from '../../platform/database/pool.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logging.ts';
import { ApiError } from '../../platform/api-error.ts';
import { readMovements, readStatement, walkMovements, type Statement } from './statement.ts';
import type { MovementRow } from './store.ts';

const database = await createTestDatabase();
const pool = openPool({
  url: database.serviceUrl,
  connections: 2,
  applicationName: 'test',
  logger: createLogger('test', 'silent'),
});
after(async () => pool.end());
const calls = createSingleCalls(pool, async () => undefined);
const deps = { calls, archive: createEmptyArchive(), nameOldPayouts: async () => new Map() };
await makeMonths(database, { from: '2026-01-01Z', months: 24 });

async function newWallet(): Promise<PartnerContext> {
  const [owner] = await createPartners(database, 1);
  assert(owner !== undefined);
  return owner;
}

async function wholeMonth(owner: PartnerContext, month: string): Promise<Statement & { movements: MovementRow[] }> {
  const statement = await readStatement(calls, owner, `${month}-01`);
  const movements: MovementRow[] = [];
  for await (const page of walkMovements(deps, owner, statement)) movements.push(...page);
  return { ...statement, movements };
}

/** The months of 2026 and the first of 2027. */
const months = Array.from({ length: 13 }, (_, at) => new Date(Date.UTC(2026, at)).toISOString().slice(0, 7));

/** The last instant of one month in London, and the first of the next. */
const borders: [name: string, before: string, last: string, first: string][] = [
  ['in winter', '2026-01', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['of the month in which summer time begins', '2026-02', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
  ['after summer time began', '2026-03', '2026-03-31T22:59:59.999Z', '2026-03-31T23:00:00.000Z'],
  ['in summer', '2026-06', '2026-06-30T22:59:59.999Z', '2026-06-30T23:00:00.000Z'],
  ['of the month in which summer time ends', '2026-09', '2026-09-30T22:59:59.999Z', '2026-09-30T23:00:00.000Z'],
  ['after summer time ended', '2026-10', '2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z'],
  ['at the end of a year', '2026-12', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
];

for (const [name, month, last, first] of borders) {
  test(`the border ${name}: ${last} is the one month's, ${first} the next one's`, async () => {
    const owner = await newWallet();
    await book(pool, owner, [
      { at: new Date(last), change: 500n },
      { at: new Date(first), change: -200n },
    ]);
    const next = months[months.indexOf(month) + 1] ?? '';
    const [one, two] = [await wholeMonth(owner, month), await wholeMonth(owner, next)];
    assert.deepEqual([one.opening, one.movements.map(({ change }) => change), one.closing], [0n, [500n], 500n]);
    assert.deepEqual([two.opening, two.movements.map(({ change }) => change), two.closing], [500n, [-200n], 300n]);
    assert.deepEqual([one.endedAt, two.beganAt], [new Date(first), new Date(first)]);
  });
}

test('a month in which nothing moved opens and closes with what the wallet holds; before the first movement that is nothing', async () => {
  const owner = await newWallet();
  const sums = async (): Promise<[bigint, bigint][]> => {
    const all = await Promise.all(['2026-04', '2026-05', '2026-06'].map(async (month) => wholeMonth(owner, month)));
    return all.map(({ opening, closing }) => [opening, closing]);
  };
  assert.deepEqual(await sums(), [
    [0n, 0n],
    [0n, 0n],
    [0n, 0n],
  ]);
  await book(pool, owner, [{ at: new Date('2026-05-05T00:00:00Z'), change: 7n }]);
  assert.deepEqual(await sums(), [
    [0n, 0n],
    [0n, 7n],
    [7n, 7n],
  ]);
});

/** Each month begins with the first number whose instant is in it or later: said once more, by looking at every movement. */
function expectedMonths(booked: readonly Booking[], starts: readonly Date[]): number[][] {
  const cuts = starts.map((start) => {
    const at = booked.findIndex((booking) => booking.at >= start);
    return at === -1 ? booked.length : at;
  });
  return cuts.slice(0, -1).map((cut, at) => {
    const end = cuts[at + 1] ?? booked.length;
    return booked.slice(cut, end).map((_, within) => cut + within + 1);
  });
}

const minute = 60_000;
const anyBooking = fc.record({
  // Anywhere in the year, and as often as not within seconds of a border.
  at: fc.oneof(
    fc.date({ min: new Date('2026-01-01Z'), max: new Date('2026-12-31T23:00:00Z'), noInvalidDate: true }),
    fc
      .tuple(
        fc.constantFrom(...borders.map(([, , , first]) => new Date(first))),
        fc.integer({ min: -5_000, max: 5_000 }),
      )
      .map(([border, byMs]) => new Date(border.getTime() + byMs)),
  ),
  change: fc.oneof(fc.bigInt(1n, 10n ** 12n), fc.bigInt(-(10n ** 9n), -1n)),
});

/** In the order of their instants, but for neighbours that were booked the other way round; never below zero. */
const anyHistory = fc
  .tuple(fc.array(anyBooking, { maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 30 }))
  .map(([bookings, swaps]): Booking[] => {
    const sorted = bookings.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    for (const place of swaps) {
      const [one, two] = [sorted[place], sorted[place + 1]];
      if (one === undefined || two === undefined || two.at.getTime() - one.at.getTime() > minute / 2) continue;
      [sorted[place], sorted[place + 1]] = [two, one];
    }
    let balance = 0n;
    return sorted.map(({ at, change }) => {
      const covered = balance + change < 0n ? -change : change;
      balance += covered;
      return { at, change: covered };
    });
  });

test('of any history, every movement is on exactly one statement, each leads on to the next, and the last ends with what the wallet holds', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 7 }), async (history, pageSize) => {
      const owner = await newWallet();
      if (history.length > 0) await book(pool, owner, history);
      const statements = [];
      for (const month of months) statements.push(await wholeMonth(owner, month));
      const starts = [...statements.map(({ beganAt }) => beganAt), new Date('2027-02-01Z')];
      assert.deepEqual(
        statements.map(({ movements }) => movements.map(({ number }) => Number(number))),
        expectedMonths(history, starts),
      );
      let balance = 0n;
      for (const { opening, closing, movements } of statements) {
        assert.equal(opening, balance);
        for (const { change } of movements) balance += change;
        assert.equal(closing, balance);
      }
      const booked = statements.flatMap(({ movements }) => movements);
      assert.deepEqual(
        booked.map(({ change, transferId }) => ({ change, at: instantOf(transferId) })),
        history.map(({ change, at }) => ({ change, at })),
      );
      for (const statement of statements) await assertPagesAgree(owner, statement, pageSize);
    }),
    { numRuns: 40 },
  );
});

async function assertPagesAgree(
  owner: PartnerContext,
  statement: Statement & { movements: MovementRow[] },
  limit: number,
): Promise<void> {
  const paged: MovementRow[] = [];
  for (let from = statement.firstNumber; from < statement.nextNumber; from += BigInt(limit))
    paged.push(...(await readMovements(deps, owner, statement, { from, limit })));
  assert.deepEqual(paged, statement.movements);
}

test('a month that was closed stays as it is, whatever is booked behind it with an instant of before', async () => {
  const owner = await newWallet();
  const border = new Date('2026-06-30T23:00:00Z').getTime();
  await book(pool, owner, [
    { at: new Date(border - 10), change: 100n },
    { at: new Date(border + 5), change: 10n },
  ]);
  const june = await wholeMonth(owner, '2026-06');
  await book(pool, owner, [{ at: new Date(border - 5), change: 1n }]);
  assert.deepEqual(await wholeMonth(owner, '2026-06'), june);
  assert.deepEqual(
    (await wholeMonth(owner, '2026-07')).movements.map(({ change }) => change),
    [10n, 1n],
  );
});

/** As a superuser with triggers off: what a person with access to the disk could do. */
const plants: [what: string, sql: string][] = [
  ['an amount was changed', `update kelpie.ledger_entries set amount = amount + 1 where wallet_version = 2 and %`],
  [
    'an amount and the balance after it were changed',
    `update kelpie.ledger_entries set amount = amount - 1, wallet_balance_after = wallet_balance_after + 1 where wallet_version = 2 and %`,
  ],
  ['a movement is missing', `delete from kelpie.ledger_entries where wallet_version = 2 and %`],
  ['the last movement is missing', `delete from kelpie.ledger_entries where wallet_version = 3 and %`],
  [
    'two amounts were changed so that they still make the same sum',
    `update kelpie.ledger_entries set amount = amount + case wallet_version when 1 then 1 else -1 end where wallet_version in (1, 2) and %`,
  ],
  ['the wallet holds something else', `update kelpie.wallets set balance_micro_usdc = balance_micro_usdc + 1 where %`],
];

for (const [what, sql] of plants) {
  test(`no statement is told where ${what}`, async () => {
    const owner = await newWallet();
    const at = new Date('2026-05-05T12:00:00Z');
    await book(pool, owner, [
      { at, change: 1_000n },
      { at, change: -100n },
      { at, change: 10n },
    ]);
    assert.equal((await wholeMonth(owner, '2026-05')).closing, 910n);
    const mine = `partner_id = '${owner.partnerId}'`;
    await asAdmin(database.superuserUrl, async (client) =>
      client.query(`set session_replication_role = replica; ${sql.replace('%', mine)}`),
    );
    const refused = await wholeMonth(owner, '2026-05').then(
      () => undefined,
      (error: unknown) => error,
    );
    assert(refused instanceof ApiError, 'it was told');
    assert.equal(refused.code, 'internal_error');
    assert.match(refused.internal ?? '', /does not add up/);
  });
}
