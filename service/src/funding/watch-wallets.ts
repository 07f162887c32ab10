import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { readInPages } from '../platform/read-in-pages.ts';
import { updateWalletAlert } from './wallet-alert.ts';
import { walletLowMail } from './mails/wallet-low.ts';
import type { FundingDeps } from './deps.ts';
import { addLowWalletEvent, listWalletsToWatch, lockAlert, readWatchedWallet, writeAlert } from './alert-store.ts';
import { contactsOf } from './notify-of-step.ts';

type Deps = Pick<FundingDeps, 'pool' | 'calls' | 'clock' | 'logger' | 'outbox' | 'listAdmins' | 'dashboardUrl'>;

const partnersAtOnce = 100;

/**
 * Tells partners whose wallet has fallen below their own threshold. It is looked at every minute and not by the payout that
 * crosses it: a payout that waited for this would be slower for everybody.
 */
export async function watchWallets(deps: Deps, signal: AbortSignal): Promise<void> {
  const wallets = readInPages(
    async (afterPartner) => listWalletsToWatch(deps.calls, { afterPartner, atMost: partnersAtOnce }),
    ({ partnerId }) => partnerId,
  );
  for await (const partnerEnvironment of wallets) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    await notifyIfLow(deps, partnerEnvironment);
  }
}

/** One commit: that the partner was told, the event and the mail. */
async function notifyIfLow(deps: Deps, partnerEnvironment: PartnerContext): Promise<void> {
  const isNotified = await inTransaction(deps.pool, partnerEnvironment, async (tx) => {
    const wallet = await readWatchedWallet(tx, partnerEnvironment);
    if (wallet === null) return false;
    const known = await lockAlert(tx, partnerEnvironment, wallet.threshold);
    const at = deps.clock.now();
    const { alert, isNews } = updateWalletAlert(wallet, known, at);
    await writeAlert(tx, partnerEnvironment, alert);
    if (!isNews) return false;
    await addLowWalletEvent(tx, partnerEnvironment, { ...wallet, at });
    const { business, to } = await contactsOf(tx, deps, partnerEnvironment);
    const { environment } = partnerEnvironment;
    const message = walletLowMail({ ...wallet, business, environment, dashboardUrl: deps.dashboardUrl });
    for (const address of to) await deps.outbox.post(tx, { kind: 'wallet-low', to: address, message });
    return true;
  });
  if (isNotified)
    deps.logger.info(
      { partner_id: partnerEnvironment.partnerId, environment: partnerEnvironment.environment },
      'wallet.low',
    );
}
