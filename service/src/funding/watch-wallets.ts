import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { followWallet } from './follow-wallet.ts';
import { walletLowMail } from './mails/wallet-low.ts';
import type { FundingParts } from './parts.ts';
import { listWalletsToWatch, lockAlert, readWatchedWallet, writeAlert } from './store.ts';
import { contactsOf } from './tell-of-step.ts';

type Parts = Pick<FundingParts, 'pool' | 'calls' | 'clock' | 'logger' | 'outbox' | 'listAdmins' | 'dashboardUrl'>;

const firstId = '00000000-0000-0000-0000-000000000000';
const partnersAtOnce = 100;

/**
 * Tells partners whose wallet has fallen below their own threshold. It is looked at every minute and not by the payout that
 * crosses it: a payout that waited for this would be slower for everybody.
 */
export async function watchWallets(parts: Parts, signal: AbortSignal): Promise<void> {
  let afterPartner = firstId;
  for (;;) {
    const page = await listWalletsToWatch(parts.calls, { afterPartner, atMost: partnersAtOnce });
    const last = page.at(-1);
    if (last === undefined) return;
    for (const side of page) {
      // Another worker has the job by now.
      if (signal.aborted) return;
      await tellIfLow(parts, side);
    }
    afterPartner = last.partnerId;
  }
}

/** One commit: that the partner was told, and the mail. */
async function tellIfLow(parts: Parts, side: PartnerContext): Promise<void> {
  const isTold = await inTransaction(parts.pool, side, async (tx) => {
    const wallet = await readWatchedWallet(tx, side);
    if (wallet === null) return false;
    const known = await lockAlert(tx, side, wallet.threshold);
    const { alert, isNews } = followWallet(wallet, known, parts.clock.now());
    await writeAlert(tx, side, alert);
    if (!isNews) return false;
    const { business, to } = await contactsOf(tx, parts, side);
    const { environment } = side;
    const content = walletLowMail({ ...wallet, business, environment, link: parts.dashboardUrl });
    for (const address of to) await parts.outbox.post(tx, { kind: 'wallet-low', to: address, content });
    return true;
  });
  if (isTold) parts.logger.info({ partner_id: side.partnerId, environment: side.environment }, 'wallet.low');
}
