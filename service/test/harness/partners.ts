import { createHmac, randomBytes } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createCustomer } from '@kelpie/sandbox-bank/test/customer.ts';
import type { SandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from './database.ts';
import { readyToPlant } from './seal-planted-rows.ts';
import { testSecrets } from './secrets.ts';

/** Partners with an empty wallet each, made in one round trip. */
export async function createPartners(
  database: Pick<TestDatabase, 'superuserUrl'>,
  count: number,
  environment: PartnerContext['environment'] = 'sandbox',
): Promise<PartnerContext[]> {
  const ids = Array.from({ length: count }, () => newId(systemClock));
  await readyToPlant(database.superuserUrl);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `with made as (
         insert into kelpie.partners (id, slug, name, status, created_at)
         select id, 'p-' || right(id::text, 12), 'Partner', 'active', now() from unnest($1::uuid[]) as id returning id
       ), environments as (
         insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
         select id, $2::kelpie.environment, now(),
           (case $2 when 'live' then 'provider_production' else 'simulated' end)::kelpie.rail, 'none', 'none'
         from made returning partner_id, environment
       )
       insert into kelpie.wallets (partner_id, environment) select partner_id, environment from environments`,
      [ids, environment],
    );
  });
  return ids.map((partnerId) => ({ partnerId, environment }));
}

/** A partner with an API key. */
export interface TestPartner extends PartnerContext {
  key: string;
  keyId: string;
  /** Its wallet at the bank; empty on the simulated rail. */
  walletId: string;
}

const sandboxFloat = 10_000_000_000n;

/**
 * The same amount to each, in one call: the float of a sandbox. A live wallet gets it by an operator's correction of a case,
 * because the bank knows of no deposit.
 */
export async function depositToEach(
  database: Pick<TestDatabase, 'superuserUrl'>,
  partnerEnvironments: readonly PartnerContext[],
  amount: bigint,
): Promise<void> {
  const values = [
    partnerEnvironments.map(() => newId(systemClock)),
    partnerEnvironments.map(({ partnerId }) => partnerId),
    partnerEnvironments.map(({ environment }) => environment),
  ];
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    await client.query(
      `select from (
         select array_agg(id) as ids, array_agg(line::smallint) as lines, array_agg(partner) as partners,
           array_agg(environment) as environments, array_agg(account) as accounts, array_agg(sign * $4::bigint) as amounts,
           array_agg(case environment when 'live' then 'correction' else 'sandbox.float' end) as reasons
         from (
           select * from unnest($1::uuid[], $2::uuid[], $3::kelpie.environment[]) as target (id, partner, environment)
           cross join (values (1, 'bank_wallet'::kelpie.ledger_account, 1), (2, 'wallet', -1)) as entry (line, account, sign)
           order by id, line
         ) as entries
       ) e cross join lateral kelpie.post_transfers(ids, lines, partners, environments, accounts, amounts, reasons, ids)`,
      [...values, amount],
    );
    await client.query(
      `with opened as (
         insert into kelpie.cases (id, partner_id, environment, kind, detail, opened_at, closed_at, closed_by, subject, seen, last_run_id,
           last_seen_at, closed_reason)
         select id, partner, environment, 'opening_balance', '', now(), now(), 'test', id::text, 1, id, now(), 'test'
         from unnest($1::uuid[], $2::uuid[], $3::kelpie.environment[]) as target (id, partner, environment)
         where environment = 'live' returning id, partner_id, environment
       )
       insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail, transfer_ids)
       select id, 1, partner_id, environment, now(), 'corrected', 'test', '', array[id] from opened`,
      values,
    );
  });
}

export async function addKey(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId, environment }: PartnerContext,
  { scope = 'pay' }: { scope?: 'pay' | 'read' } = {},
): Promise<{ key: string; keyId: string }> {
  const key = `kp_${environment}_${randomBytes(24).toString('hex')}`;
  const keyId = newId(systemClock);
  await readyToPlant(database.superuserUrl);
  const hmac = createHmac('sha256', Buffer.from(testSecrets.KELPIE_API_KEY_PEPPER, 'hex')).update(key).digest();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at, scope)
       values ($1, $2, $3, substr($4, 1, strpos(substr($4, 4), '_') + 11), $5, now(), $6)`,
      [keyId, partnerId, environment, key, hmac, scope],
    ),
  );
  return { key, keyId };
}

/** A partner on the simulated rail, with 10,000.00 USDC. */
export async function createSimulatedPartner(database: Pick<TestDatabase, 'superuserUrl'>): Promise<TestPartner> {
  const [partnerEnvironment] = await createPartners(database, 1);
  if (partnerEnvironment === undefined) throw new Error('no partner was made');
  await depositToEach(database, [partnerEnvironment], sandboxFloat);
  return { ...partnerEnvironment, ...(await addKey(database, partnerEnvironment)), walletId: '' };
}

/** A partner with a wallet at the bank, which holds 10,000.00 USDC there and in the books. */
export async function createPartnerAtBank(
  database: Pick<TestDatabase, 'superuserUrl'>,
  bank: SandboxBank,
  environment: PartnerContext['environment'] = 'sandbox',
): Promise<TestPartner> {
  const [partnerEnvironment] = await createPartners(database, 1, environment);
  if (partnerEnvironment === undefined) throw new Error('no partner was made');
  return connect(database, bank, partnerEnvironment);
}

/** The live environment of a partner that has a sandbox. */
export async function addLiveEnvironment(
  database: Pick<TestDatabase, 'superuserUrl'>,
  bank: SandboxBank,
  { partnerId }: PartnerContext,
): Promise<TestPartner> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
      [partnerId],
    );
    await client.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'live')`, [partnerId]);
  });
  return connect(database, bank, { partnerId, environment: 'live' });
}

async function connect(
  database: Pick<TestDatabase, 'superuserUrl'>,
  bank: SandboxBank,
  partnerEnvironment: PartnerContext,
): Promise<TestPartner> {
  const customer = await createCustomer(bank);
  const rail = partnerEnvironment.environment === 'live' ? 'provider_production' : 'provider_sandbox';
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `update kelpie.partner_environments set rail = $3, bank_customer_id = $4, bank_wallet_id = $5
       where partner_id = $1 and environment = $2`,
      [partnerEnvironment.partnerId, partnerEnvironment.environment, rail, customer.id, customer.walletId],
    ),
  );
  await depositToEach(database, [partnerEnvironment], sandboxFloat);
  return { ...partnerEnvironment, ...(await addKey(database, partnerEnvironment)), walletId: customer.walletId };
}
