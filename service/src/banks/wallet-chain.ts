/** The chain of every wallet that we open at a bank. */
export const walletChain = 'base';
