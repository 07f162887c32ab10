import assert from 'node:assert/strict';
import type { Child } from '@kelpie/dev/child-process.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import type { Client } from 'pg';
import { verifyWholeLedger } from '../../src/app/commands/verify-ledger.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { findCanaries } from './canaries/find-canaries.ts';
import type { TestDatabase } from './database.ts';
import { judgeDeposits } from './judge-deposits.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { judgeEvents } from './judge-events.ts';

interface Judged {
  database: Pick<TestDatabase, 'superuserUrl' | 'readerUrl'>;
  bank: SandboxBank;
  /** What our processes said. */
  processes: readonly Child[];
  /** Payouts that a caller was told of. */
  acknowledged?: readonly string[];
  /** Payouts that were planted as rows have none. */
  hasEvents?: false;
}

interface PayoutFacts {
  id: string;
  order_id: string;
  state: string;
  rail: string;
  revision: number;
  wallet_debit: string;
  took: string | null;
  refunded: string | null;
  bank_payment_id: string | null;
  held: string;
  in_transit: string;
  history: string[];
  numbers: number[];
  open_cases: number;
  /** Two operators bound it to the bank's payment. */
  is_adopted: boolean;
}

const factsSql = `
  with books as (
    select cause_id, sum(amount) filter (where account = 'held') as held,
      sum(amount) filter (where account = 'in_transit') as in_transit
    from kelpie.ledger_entries group by cause_id
  ), histories as (
    select payout_id, array_agg(state::text order by number) as history, array_agg(number order by number) as numbers
    from kelpie.payout_history group by payout_id
  )
  select p.id, p.order_id, p.state::text, p.rail::text, p.revision, p.wallet_debit_micro_usdc as wallet_debit,
    p.bank_debited_micro_usdc as took, p.bank_refunded_micro_usdc as refunded, p.bank_payment_id,
    coalesce(b.held, 0) as held, coalesce(b.in_transit, 0) as in_transit, coalesce(h.history, '{}') as history,
    coalesce(h.numbers, '{}') as numbers,
    (select count(*)::int from kelpie.cases c where c.payout_id = p.id and c.closed_at is null) as open_cases,
    exists (
      select from kelpie.proposals a
      where a.action = 'payout.adopt' and a.subject = p.id::text and a.outcome = 'done'
    ) as is_adopted
  from kelpie.payouts p left join books b on b.cause_id = p.id left join histories h on h.payout_id = p.id`;

/** From the decisions, written down once more: the code under test is not asked what it may do. */
export const legalTransitions: ReadonlySet<string> = new Set([
  'sending>not_created',
  'sending>pending',
  'sending>processing',
  'sending>failed',
  'pending>processing',
  'pending>failed',
  'pending>cancelled',
  'processing>completed',
  'processing>failed',
  'processing>cancelled',
  'processing>returned',
  'completed>returned',
]);

function illegalTransitions({ history, id, is_adopted: isAdopted }: PayoutFacts): string[] {
  return history
    .slice(1)
    .map((state, at) => `${history[at]}>${state}`)
    .filter((move) => !(isAdopted && move === 'not_created>processing'))
    .filter((move) => !legalTransitions.has(move) && move.split('>')[0] !== move.split('>')[1])
    .map((move) => `I6 payout ${id} made the move ${move}`);
}

/** What each state leaves held and in transit. */
function wrongBooks(facts: PayoutFacts): string[] {
  const { id, state } = facts;
  const open = state === 'sending' || state === 'pending' || state === 'processing';
  const waits = state === 'failed' && facts.took !== null && facts.refunded === null;
  const held = open || waits ? -BigInt(facts.wallet_debit) : 0n;
  const inTransit = (state === 'processing' || waits) && facts.took !== null ? BigInt(facts.took) : 0n;
  const found: string[] = [];
  if (BigInt(facts.held) !== held) found.push(`I5 payout ${id} is ${state} and holds ${facts.held}, not ${held}`);
  if (BigInt(facts.in_transit) !== inTransit)
    found.push(`I5 payout ${id} is ${state} with ${facts.in_transit} in transit, not ${inTransit}`);
  return found;
}

function wrongHistory({ id, revision, numbers }: PayoutFacts): string[] {
  const whole = numbers.length === revision && numbers.every((number, at) => number === at + 1);
  return whole ? [] : [`I7 payout ${id} has ${revision} changes, and history ${numbers.join(' ')}`];
}

const finalStates = new Set(['completed', 'failed', 'cancelled', 'returned']);

type BankRecord = Awaited<ReturnType<SandboxBank['record']>>;

/** What the bank truly paid, against what our payouts say that it did. */
function judgePayments(payments: BankRecord['payments'], payouts: readonly PayoutFacts[]): string[] {
  const violations: string[] = [];
  const ours = ordersOf(payouts);
  const byOrder = Map.groupBy(payments, (payment) => payment.client_reference_id ?? 'none');
  for (const [order, paid] of byOrder)
    if (paid.length > 1) violations.push(`I1 order ${order} was paid ${paid.length} times`);
  for (const { client_reference_id: order, transfer_id: id, taken_micro_usdc: taken } of payments) {
    const payout = ours.get(order ?? '');
    if (payout === undefined) violations.push(`I8 the bank paid ${id}, and no payout of ours says so`);
    else if (payout.bank_payment_id !== id || payout.took !== taken.toString())
      violations.push(`I8 the bank took ${taken} for ${id}; payout ${payout.id} says ${payout.took}`);
  }
  const madeUp = payouts.filter(
    (payout) => payout.rail !== 'simulated' && payout.bank_payment_id !== null && !byOrder.has(payout.order_id),
  );
  return [...violations, ...madeUp.map(({ id }) => `I8 payout ${id} names a payment that the bank never accepted`)];
}

function ordersOf(payouts: readonly PayoutFacts[]): Map<string, PayoutFacts> {
  return new Map(payouts.filter(({ state }) => state !== 'not_created').map((payout) => [payout.order_id, payout]));
}

function judgeRefunds(refunds: BankRecord['refunds'], payouts: readonly PayoutFacts[]): string[] {
  const ours = ordersOf(payouts);
  return refunds
    .map(({ client_reference_id: order, micro_usdc: back }) => ({ back, payout: ours.get(order ?? '') }))
    .filter(({ back, payout }) => payout?.refunded !== back.toString())
    .map(({ back, payout }) => `I8 the bank gave back ${back}; payout ${payout?.id} says ${payout?.refunded}`);
}

async function judgeAtBank(client: Client, { bank }: Judged, payouts: readonly PayoutFacts[]): Promise<string[]> {
  const { payments, refunds } = await bank.record();
  return [
    ...judgePayments(payments, payouts),
    ...judgeRefunds(refunds, payouts),
    ...(await judgeDeposits(client, bank)),
    ...(await judgeWallets(client, bank)),
  ];
}

/** Our books of what the bank keeps, against the bank's own figure, to the micro-unit. */
async function judgeWallets(client: Client, bank: SandboxBank): Promise<string[]> {
  const { rows } = await client.query<{ wallet_id: string; ours: string }>(
    `select e.bank_wallet_id as wallet_id, sum(l.amount) filter (where l.account = 'bank_wallet') as ours
     from kelpie.partner_environments e
     join kelpie.ledger_entries l on l.partner_id = e.partner_id and l.environment = e.environment
     where e.rail <> 'simulated' group by 1`,
  );
  const violations: string[] = [];
  for (const { wallet_id: walletId, ours } of rows) {
    const theirs = textAt(await bank.control(`GET /wallets/${walletId}`), 'balance_micro_usdc');
    if (theirs !== ours) violations.push(`I8 the bank's wallet ${walletId} holds ${theirs}, and our books say ${ours}`);
  }
  return violations;
}

async function judgePartners(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `select 'I9 an entry of another partner than its payout ' || p.id as what
     from kelpie.ledger_entries l join kelpie.payouts p on p.id = l.cause_id
     where (l.partner_id, l.environment) <> (p.partner_id, p.environment)
     union all
     select 'I9 a key of another partner than its payout ' || p.id
     from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id
     where (k.partner_id, k.environment, k.order_id) <> (p.partner_id, p.environment, p.order_id)
     union all
     select 'I2 a key of no payout ' || k.order_id
     from kelpie.idempotency_keys k where not exists (select from kelpie.payouts p where p.id = k.payout_id)
     union all
     select 'I4 a wallet below zero of ' || partner_id from kelpie.wallets where balance_micro_usdc < 0`,
  );
  return rows.map(({ what }) => what);
}

/** The counters of the daily limits say what the payouts say, to the penny. */
async function judgeCounters(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `with counted as (
       select p.partner_id, p.environment, p.counted_on as on_day, one.subject, sum(p.amount_pence) as pence
       from kelpie.payouts p
       cross join lateral (values
         (''::bytea), (uuid_send(p.api_key_id)), (case when p.counted_new_payee then p.account_index end)
       ) as one (subject)
       where p.counted_on is not null and p.given_back_revision is null and one.subject is not null
       group by 1, 2, 3, 4
     )
     select format('I11 %s of %s %s on %s: %s pence counted, %s by the payouts',
       case length(subject) when 0 then 'the total' when 16 then 'a key' else 'a new payee' end, partner_id, environment,
       on_day, coalesce(s.spent_pence, 0), coalesce(c.pence, 0)) as what
     from kelpie.daily_spending s full join counted c using (partner_id, environment, on_day, subject)
     where coalesce(s.spent_pence, 0) <> coalesce(c.pence, 0)`,
  );
  return rows.map(({ what }) => what);
}

/** Six digits turn up by chance in a long run, within an id or a time; alone they do not. */
export function says(said: string, canary: string): boolean {
  return /^\d+$/.test(canary) ? new RegExp(`(?<![0-9a-f.-])${canary}(?![0-9a-f-])`).test(said) : said.includes(canary);
}

/** What must never leave by the log, and did. */
export function findLeaks(processes: readonly Child[]): string[] {
  const kinds = new Set(processes.flatMap((child) => child.lines().flatMap((line) => findCanaries(line))));
  return [...kinds].map((what) => `I10 a process said ${what}`);
}

async function findDifferences({ readerUrl }: Judged['database']): Promise<string[]> {
  const { differences } = await verifyWholeLedger(readerUrl, createLogger('judge', 'silent'));
  return differences.map((difference) => `I3 ${JSON.stringify(difference)}`);
}

/** What our own tables say against each other. */
async function judgeBooks(client: Client, payouts: readonly PayoutFacts[]): Promise<string[]> {
  return [
    ...payouts.flatMap((payout) => [...illegalTransitions(payout), ...wrongBooks(payout), ...wrongHistory(payout)]),
    ...(await judgePartners(client)),
    ...(await judgeCounters(client)),
  ];
}

/** I1 to I12, judged by the bank's own record and by the books; what breaks one, in sentences. Ask once all is quiet. */
export async function findViolations(judged: Judged): Promise<string[]> {
  const differences = await findDifferences(judged.database);
  return asAdmin(judged.database.superuserUrl, async (client) => {
    const { rows: payouts } = await client.query<PayoutFacts>(factsSql);
    const known = new Map(payouts.map((payout) => [payout.id, payout]));
    const lost = (judged.acknowledged ?? []).filter((id) => {
      const payout = known.get(id);
      return payout === undefined || payout.state === 'not_created';
    });
    const unfinished = payouts.filter(
      ({ state, open_cases: cases }) =>
        state !== 'not_created' && !finalStates.has(state) && !(state === 'pending' && cases > 0),
    );
    return [
      ...differences,
      ...lost.map((id) => `I2 payout ${id} was acknowledged and is not there`),
      ...unfinished.map(({ id, state }) => `I2 payout ${id} is still ${state}`),
      ...(await judgeBooks(client, payouts)),
      ...(judged.hasEvents === false ? [] : await judgeEvents(client)),
      ...(await judgeDeliveries(client)),
      ...(await judgeAtBank(client, judged, payouts)),
      ...findLeaks(judged.processes),
    ];
  });
}

/** The part of it that needs no bank, at any time. */
export async function assertBooksHold(database: Judged['database']): Promise<void> {
  const violations = await asAdmin(database.superuserUrl, async (client) => {
    const { rows: payouts } = await client.query<PayoutFacts>(factsSql);
    return [...(await judgeBooks(client, payouts)), ...(await judgeEvents(client)), ...(await judgeDeliveries(client))];
  });
  assert.deepEqual([...(await findDifferences(database)), ...violations], []);
}

/** How many payouts there are in each state. */
export async function countStates(database: Pick<TestDatabase, 'superuserUrl'>): Promise<Record<string, number>> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ state: string; count: number }>(
      'select state::text, count(*)::int as count from kelpie.payouts group by state',
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  });
}

export async function assertAllHolds(judged: Judged): Promise<void> {
  assert.deepEqual(await findViolations(judged), []);
}
