import type { MicroUsdc } from '../money/amounts.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { DueRow } from './source-store.ts';
import type { WalletAlert } from './wallet-alert.ts';

/** What the partner is called, and whom it wants to be written to. */
export async function readContact(
  tx: Transaction,
  partnerId: string,
): Promise<{ business: string; contactEmail: string | null }> {
  const { rows } = await tx.query<{ name: string; contact_email: string | null }>(
    'select name, contact_email from kelpie.partners where id = $1',
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
