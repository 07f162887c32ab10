import type { Deposit, PayoutStatus } from '@kelpie/sdk';

interface StatusLabels {
  label: string;
  mark: PayoutStatus;
  /** What it means for the wallet. */
  meaning: string;
}

export const depositStatusLabels: Readonly<Record<Deposit['status'], StatusLabels>> = {
  pending: {
    label: 'On its way',
    mark: 'processing',
    meaning: 'The bank has it, and has not put it in the wallet yet.',
  },
  credited: { label: 'In the wallet', mark: 'completed', meaning: 'It can be paid with.' },
  refunded: {
    label: 'Sent back',
    mark: 'cancelled',
    meaning: 'It went back to its sender before it reached the wallet.',
  },
  reversed: { label: 'Taken back', mark: 'returned', meaning: 'The bank took it out of the wallet again.' },
};

export const depositStatuses: readonly Deposit['status'][] = ['pending', 'credited', 'refunded', 'reversed'];

export function isDepositStatus(text: string): text is Deposit['status'] {
  return depositStatuses.some((status) => status === text);
}

export const methodLabels: Readonly<Record<Deposit['method'], string>> = {
  bank_transfer: 'Bank transfer',
  usdc: 'USDC',
};

const chains: Readonly<Record<string, string>> = {
  base: 'Base',
  ethereum: 'Ethereum',
  solana: 'Solana',
  polygon: 'Polygon',
};

export function formatChain(chain: string): string {
  return chains[chain] ?? chain;
}
