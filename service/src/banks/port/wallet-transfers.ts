import type { MicroUsdc } from '../../money/amounts.ts';
import type { SendOutcome } from './payments.ts';

/** A wallet at the bank, and whose it is. */
export interface BankWallet {
  customerId: string;
  walletId: string;
}

interface WalletTransferOrder {
  from: BankWallet;
  to: BankWallet;
  amount: MicroUsdc;
  /** How we find it again: `walletTransferReference`. */
  ourReference: string;
  /** The same for every try at the same transfer: it is what keeps a repeat from moving twice. */
  idempotencyKey: string;
}

/** A bank that moves USDC from one of its wallets to another. What became of a transfer is asked for as of any payment. */
export interface BankWalletTransfers {
  /** One request, and no retry of its own. */
  transferBetweenWallets(order: WalletTransferOrder): Promise<SendOutcome>;
}
