const kinds: Readonly<Record<string, string>> = {
  hold: 'Payout',
  release: 'Payout that did not go',
  refund: 'Payout given back by the bank',
  return: "Returned by the recipient's bank",
  deposit: 'Top-up',
  deposit_reversal: 'Top-up taken back',
  correction: 'Correction',
  sandbox_float: 'Test money',
  sandbox_reset: 'Sandbox connected to the bank',
};

/** What moved the wallet. A kind that is newer than this page is shown as it is called. */
export function movementLabel(kind: string): string {
  return kinds[kind] ?? kind.replaceAll('_', ' ');
}
