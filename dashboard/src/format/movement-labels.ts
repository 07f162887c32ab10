const kinds: Readonly<Record<string, string>> = {
  hold: 'Payout',
  release: 'Payout not sent: funds released',
  refund: 'Payout refunded by the bank',
  return: "Payout returned by the recipient's bank",
  deposit: 'Top-up',
  deposit_reversal: 'Top-up reversed',
  correction: 'Correction',
  sandbox_float: 'Test money added',
  sandbox_reset: 'Test money reset',
};

/** A kind newer than this page is shown by its API name. */
export function movementLabel(kind: string): string {
  return kinds[kind] ?? kind.replaceAll('_', ' ');
}
