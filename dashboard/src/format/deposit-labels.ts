import type { Deposit, PayoutStatus } from '@kelpie/sdk';

interface StatusLabels {
  label: string;
  mark: PayoutStatus;
  /** What it means for the wallet. */
  meaning: string;
}

export const depositStatusLabels: Readonly<Record<Deposit['status'], StatusLabels>> = {
  pending: {
    label: 'Pending',
    mark: 'processing',
    meaning: 'The bank received it and has not credited your wallet yet.',
  },
  credited: { label: 'Credited', mark: 'completed', meaning: 'It is in your wallet.' },
  refunded: {
    label: 'Refunded',
    mark: 'cancelled',
    meaning: 'The bank sent it back before it reached your wallet.',
  },
  reversed: { label: 'Reversed', mark: 'returned', meaning: 'The bank took it back out of your wallet.' },
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
