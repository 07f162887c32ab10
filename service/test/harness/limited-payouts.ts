import { createHash, randomUUID } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents } from '../../src/ledger/index.ts';
import type { NewPayout } from '../../src/payouts/records/create-payouts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from './database.ts';
import { addKey, createPartners, depositToEach, type TestPartner } from './partners.ts';

// Payouts that only our own tables know, for tests of the daily limits: no bank is asked.

/** One USDC holds one pound. */
const microUsdcPerPenny = 10_000n;

/** A partner whose wallet covers so many pounds. */
export async function createFundedPartner(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { environment = 'live', pounds = 1_000_000n }: { environment?: PartnerContext['environment']; pounds?: bigint } = {},
): Promise<TestPartner> {
  const [partnerEnvironment] = await createPartners(database, 1, environment);
  if (partnerEnvironment === undefined) throw new Error('no partner was made');
  if (pounds > 0n) await depositToEach(database, [partnerEnvironment], pounds * 100n * microUsdcPerPenny);
  return { ...partnerEnvironment, ...(await addKey(database, partnerEnvironment)), walletId: '' };
}

/** The start of a key, as a payout names it. */
function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf('_') + 9);
}

interface Wish {
  pounds: string;
  /** Which account is paid; the same text is the same account. */
  to?: string;
  at?: Date;
  /** Another key of the partner's. */
  by?: { key: string; keyId: string };
  orderId?: string;
  retry?: NewPayout['retry'];
}

export function penceOf(pounds: string): bigint {
  return BigInt(pounds.replace('.', ''));
}

export function newLimitedPayout(partner: TestPartner, wish: Wish): NewPayout {
  const { pounds, to = randomUUID(), at = new Date(), by = partner, orderId = randomUUID(), retry = null } = wish;
  const amount = penceOf(pounds);
  const walletDebit = amount * microUsdcPerPenny;
  const hold = ledgerEvents.hold({ principal: walletDebit - 1n, providerFee: 1n });
  return {
    payout: {
      id: newId(systemClock),
      partnerId: partner.partnerId,
      environment: partner.environment,
      rail: partner.environment === 'live' ? 'provider_production' : 'simulated',
      state: 'sending',
      idempotencyKey: orderId,
      orderId,
      reference: null,
      bankReference: 'KP',
      amount,
      fee: 100n,
      providerFee: 51n,
      walletDebit,
      rate: 790_000n,
      pricePlan: 'standard-1',
      recipientName: 'Ada Byron',
      accountLast4: '5678',
      recipientEncrypted: Buffer.of(1),
      accountIndex: createHash('sha256').update(to).digest(),
      bankRecipientEncrypted: null,
      createdVia: 'api',
      createdBy: prefixOf(by.key),
      bankPaymentId: null,
      bankState: null,
      bankDebited: null,
      failureCode: null,
      failureReason: null,
      updatedAt: at,
    },
    callerId: by.keyId,
    confirmation: null,
    retry,
    fingerprint: Buffer.of(1),
    transfers: [{ id: newId(systemClock), reason: 'payout.hold', lines: hold }],
    open: { leasedUntil: at, dueAt: at },
    activity: null,
  };
}

function penceOrNull(pounds: string | null): bigint | null {
  return pounds === null ? null : penceOf(pounds);
}

/** What an operator or an admin would set, without either. */
export async function plantLimits(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId, environment }: PartnerContext,
  limits: { daily: string | null; newPayee: string | null; highest?: string | null },
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
       values ($1, $2, $3, $4, $5)
       on conflict (partner_id, environment) do update set daily_pence = excluded.daily_pence,
         new_payee_pence = excluded.new_payee_pence, highest_daily_pence = excluded.highest_daily_pence`,
      [
        partnerId,
        environment,
        penceOrNull(limits.daily),
        penceOrNull(limits.newPayee),
        penceOrNull(limits.highest === undefined ? '1000000.00' : limits.highest),
      ],
    ),
  );
}

export async function plantKeyLimit(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  keyId: string,
  { daily = null, fullLimitAt = null }: { daily?: string | null; fullLimitAt?: Date | null },
): Promise<void> {
  await asAdmin(superuserUrl, async (client) =>
    client.query(
      `update kelpie.api_keys set daily_limit_pence = $2, full_limit_at = $3,
         created_at = least(created_at, $3::timestamptz - interval '24 hours')
       where id = $1`,
      [keyId, penceOrNull(daily), fullLimitAt],
    ),
  );
}
