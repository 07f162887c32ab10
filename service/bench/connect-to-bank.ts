import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { nilId } from '../src/platform/ids.ts';
import type { TestDatabase } from '../test/harness/database.ts';

// Payouts that were loaded without a bank, put into a sandbox bank's own tables as if it had paid them: a clean day, to be
// compared. What the bank keeps is what the books say that it does.

interface Environment {
  partner_id: string;
  customer_id: string;
  wallet_id: string;
  account_id: string;
  balance: string;
}

const stepSize = 5_000;

async function connectEnvironments(kelpie: Client): Promise<Environment[]> {
  await kelpie.query('set session_replication_role = replica');
  await kelpie.query(`update kelpie.payouts set rail = 'provider_sandbox', bank_state = 'payment_processed'`);
  const { rows } = await kelpie.query<Environment>(
    `update kelpie.partner_environments e
     set rail = 'provider_sandbox', bank_customer_id = gen_random_uuid()::text, bank_wallet_id = gen_random_uuid()::text
     where e.environment = 'sandbox'
     returning e.partner_id, e.bank_customer_id as customer_id, e.bank_wallet_id as wallet_id, gen_random_uuid() as account_id, (
       select sum(l.amount) from kelpie.ledger_entries l
       where l.partner_id = e.partner_id and l.environment = e.environment and l.account = 'bank_wallet'
     ) as balance`,
  );
  return rows;
}

async function openEnvironments(bank: Client, partnerEnvironments: readonly Environment[]): Promise<void> {
  for (const { customer_id: customer, wallet_id: wallet, account_id: account, balance } of partnerEnvironments) {
    await bank.query(
      `insert into customers (id, type, business_name, email, created_at) values ($1, 'business', 'Bench', 'bench@example.com', now())`,
      [customer],
    );
    await bank.query(
      `insert into wallets (id, customer_id, chain, address, balance_micro_usdc, created_at)
       values ($1, $2, 'base', '0x0', $3, now())`,
      [wallet, customer, balance],
    );
    await bank.query(
      `insert into external_accounts (
         id, customer_id, account_owner_name, account_owner_type, sort_code, account_number, created_at, updated_at
       ) values ($1, $2, 'Ada Byron', 'individual', '040004', '12345678', now(), now())`,
      [account, customer],
    );
  }
}

interface PaidRow {
  id: string;
  partner_id: string;
  order_id: string;
  payment_id: string;
  amount: string;
  took: string;
  at: Date;
  arrived_at: Date;
}

/** In the order in which they were made: the bank's lists go by that. */
async function copyPayments(
  kelpie: Client,
  bank: Client,
  partnerEnvironments: readonly Environment[],
  onProgress: (n: number) => void,
) {
  const of = new Map(
    partnerEnvironments.map((partnerEnvironment) => [partnerEnvironment.partner_id, partnerEnvironment]),
  );
  let [after, written] = [nilId, 0];
  for (;;) {
    const { rows } = await kelpie.query<PaidRow>(
      `select id, partner_id, order_id, bank_payment_id as payment_id, amount_pence as amount, bank_debited_micro_usdc as took,
         first_tried_at as at, updated_at as arrived_at
       from kelpie.payouts where id > $1 order by id limit ${stepSize}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    await bank.query(
      `insert into transfers (
         id, customer_id, wallet_id, external_account_id, client_reference_id, amount_pence, reference, taken_micro_usdc,
         exchange_fee_micro_usdc, state, created_at, updated_at
       )
       select t.id, t.customer, t.wallet, t.account, t.reference, t.amount, 'KP', t.took, 0, 'payment_processed', t.at, t.arrived
       from unnest(
         $1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[], $7::bigint[], $8::timestamptz[],
         $9::timestamptz[]
       ) with ordinality as t (id, customer, wallet, account, reference, amount, took, at, arrived, number)
       order by t.number`,
      [
        rows.map((row) => row.payment_id),
        rows.map((row) => of.get(row.partner_id)?.customer_id),
        rows.map((row) => of.get(row.partner_id)?.wallet_id),
        rows.map((row) => of.get(row.partner_id)?.account_id),
        rows.map((row) => row.order_id),
        rows.map((row) => row.amount),
        rows.map((row) => row.took),
        rows.map((row) => row.at),
        rows.map((row) => row.arrived_at),
      ],
    );
    written += rows.length;
    onProgress(written);
    after = last.id;
  }
}

/** Every partner of the database becomes a customer, and every payout a transfer of the bank's. */
export async function connectToBank(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  bankUrl: string,
  onProgress: (written: number) => void,
): Promise<void> {
  await asAdmin(superuserUrl, async (kelpie) =>
    asAdmin(bankUrl, async (bank) => {
      await bank.query('set search_path = bank');
      const partnerEnvironments = await connectEnvironments(kelpie);
      await openEnvironments(bank, partnerEnvironments);
      await copyPayments(kelpie, bank, partnerEnvironments, onProgress);
      await bank.query('analyze');
      await kelpie.query('vacuum (analyze)');
    }),
  );
}
