const prefix = 'float-';

/** What a transfer between wallets is called at the bank. No payout is called so: its reference is an order's id. */
export function walletTransferReference(id: string): string {
  return `${prefix}${id}`;
}

/** The id of which the reference was made; null for anything else. */
export function idOfWalletTransfer(reference: string | null): string | null {
  return reference?.startsWith(prefix) ? reference.slice(prefix.length) : null;
}
