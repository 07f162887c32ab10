import type { Transaction } from '../../platform/database/transaction.ts';

interface NewFreeze {
  partnerId: string;
  /** Of an admin of the partner: the database checks it again. */
  email: string;
  at: Date;
}

/** False if live was frozen already. */
export async function addFreeze(tx: Transaction, { partnerId, email, at }: NewFreeze): Promise<boolean> {
  const { rows } = await tx.query<{ outcome: 'frozen' | 'was_frozen' | 'not_admin' }>(
    'select kelpie.freeze_live($1, $2, $3) as outcome',
    [partnerId, email, at],
  );
  const outcome = rows[0]?.outcome;
  if (outcome === undefined || outcome === 'not_admin') throw new Error('live was frozen by someone who is no admin');
  return outcome === 'frozen';
}
