import type { MicroUsdc } from '../money/amounts.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { DueRow } from './source-store.ts';
import type { WalletAlert } from './wallet-alert.ts';

/** What the partner is called, and whom it wants to be written to: null also where nobody confirmed the address. */
export async function readContact(
  tx: Transaction,
  partnerId: string,
): Promise<{ business: string; contactEmail: string | null }> {
  const { rows } = await tx.query<{ name: string; contact_email: string | null }>(
    `select name, case when contact_email_confirmed_at is not null then contact_email end as contact_email
     from kelpie.partners where id = $1`,
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a partner that is not there');
  return { business: row.name, contactEmail: row.contact_email };
}

// Wallets that run low

const watchCall: Call = {
  name: 'list_wallets_to_watch',
  text: 'select * from kelpie.list_wallets_to_watch($1, $2)',
};

export async function listWalletsToWatch(
  calls: SingleCalls,
  { afterPartner, atMost }: { afterPartner: string; atMost: number },
): Promise<PartnerContext[]> {
  const rows = await calls.call<Omit<DueRow, 'id'>>(watchCall, [afterPartner, atMost]);
  return rows.map((row) => ({ partnerId: row.partner_id, environment: row.environment }));
}

/** The wallet, and below what its partner wants to be told; null where it does not. */
export async function readWatchedWallet(
  tx: Transaction,
  partnerEnvironment: PartnerContext,
): Promise<{ balance: MicroUsdc; threshold: MicroUsdc } | null> {
  const { rows } = await tx.query<{ balance: string; threshold: string | null }>(
    `select w.balance_micro_usdc as balance, p.wallet_low_micro_usdc as threshold
     from kelpie.wallets w join kelpie.partners p on p.id = w.partner_id
     where w.partner_id = $1 and w.environment = $2`,
    [partnerEnvironment.partnerId, partnerEnvironment.environment],
  );
  const [row] = rows;
  return row === undefined || row.threshold === null
    ? null
    : { balance: BigInt(row.balance), threshold: BigInt(row.threshold) };
}

/** What the partner was told of the wallet; it is this transaction's until its end, so one of those who look at once tells. */
export async function lockAlert(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  threshold: MicroUsdc,
): Promise<WalletAlert> {
  const partnerEnvironment = [partnerId, environment];
  await tx.query(
    `insert into kelpie.wallet_alerts (partner_id, environment, threshold_micro_usdc) values ($1, $2, $3)
     on conflict (partner_id, environment) do nothing`,
    [...partnerEnvironment, threshold],
  );
  const { rows } = await tx.query<{ low_since: Date | null; notified_at: Date | null; threshold: string }>(
    `select low_since, notified_at, threshold_micro_usdc as threshold from kelpie.wallet_alerts
     where partner_id = $1 and environment = $2 for no key update`,
    partnerEnvironment,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an alert of another partner');
  return { lowSince: row.low_since, notifiedAt: row.notified_at, threshold: BigInt(row.threshold) };
}

export async function writeAlert(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { lowSince, notifiedAt, threshold }: WalletAlert,
): Promise<void> {
  await tx.query(
    `update kelpie.wallet_alerts set low_since = $3, notified_at = $4, threshold_micro_usdc = $5
     where partner_id = $1 and environment = $2`,
    [partnerId, environment, lowSince, notifiedAt, threshold],
  );
}

interface LowWallet {
  balance: MicroUsdc;
  threshold: MicroUsdc;
  at: Date;
}

/** Counts that the partner is notified, with an event of it. */
export async function addLowWalletEvent(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { balance, threshold, at }: LowWallet,
): Promise<void> {
  await tx.query(
    `with counted as (
       update kelpie.wallet_alerts set times_notified = times_notified + 1
       where partner_id = $1 and environment = $2 returning times_notified
     )
     select kelpie.add_event(
       'wallet.low', $2, $1, times_notified, $3,
       jsonb_build_object(
         'object', 'wallet', 'environment', $2::text, 'balance_usdc', kelpie.money_text($4::bigint / 10000),
         'wallet_low_usdc', kelpie.money_text($5::bigint / 10000)
       )
     ) from counted`,
    [partnerId, environment, at, balance, threshold],
  );
}
