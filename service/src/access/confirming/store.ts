import type { Transaction } from '../../platform/database/transaction.ts';

interface NewConfirmation {
  id: string;
  partnerId: string;
  sessionId: string;
  emailHmac: Buffer;
  orderHmac: Buffer;
  codeHmac: Buffer;
}

/** Null; or from when on a code can be asked for again, where too many were lately: nothing was written then. */
export async function addConfirmation(tx: Transaction, code: NewConfirmation, at: Date): Promise<Date | null> {
  const { rows } = await tx.query<{ not_before: Date | null }>(
    'select kelpie.add_payout_confirmation($1, $2, $3, $4, $5, $6, $7) as not_before',
    [code.id, code.partnerId, code.sessionId, code.emailHmac, code.orderHmac, code.codeHmac, at],
  );
  return rows[0]?.not_before ?? null;
}

/** True if a passkey has proven it: that is used up if this transaction commits. */
export async function confirmActByPasskey(
  tx: Transaction,
  of: Omit<NewConfirmation, 'id' | 'codeHmac'>,
  at: Date,
): Promise<boolean> {
  const { rows } = await tx.query<{ is_confirmed: boolean }>(
    'select kelpie.confirm_act_by_passkey($1, $2, $3, $4, $5) as is_confirmed',
    [of.partnerId, of.sessionId, of.orderHmac, of.emailHmac, at],
  );
  return rows[0]?.is_confirmed === true;
}

/** True if the code is right: it is used up if this transaction commits. False counts as a guess, once it commits. */
export async function confirmAct(tx: Transaction, given: Omit<NewConfirmation, 'id'>, at: Date): Promise<boolean> {
  const { rows } = await tx.query<{ is_confirmed: boolean }>(
    'select kelpie.confirm_act($1, $2, $3, $4, $5, $6) as is_confirmed',
    [given.partnerId, given.sessionId, given.orderHmac, given.emailHmac, given.codeHmac, at],
  );
  return rows[0]?.is_confirmed === true;
}
