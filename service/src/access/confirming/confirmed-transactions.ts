import { ApiError } from '../../platform/api-error.ts';
import type {
  ActToConfirm,
  AskedConfirmation,
  ConfirmingAdmin,
  InConfirmedTransaction,
} from '../../platform/acts/confirmed-act.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { confirmActMail } from '../mails/confirm-act.ts';
import { requireAdmin, requireMember } from '../members/require-admin.ts';
import type { Confirmations } from './confirmations.ts';

interface ConfirmedTransactionDeps {
  pool: Pool;
  confirmations: Pick<Confirmations, 'askIn' | 'use' | 'useProof'>;
}

function confirmationRequired({ goodUntil, passkey }: AskedConfirmation): ApiError {
  const details = { good_until: goodUntil.toISOString() };
  return passkey === null
    ? new ApiError({
        code: 'confirmation_required',
        message: 'We emailed you a code. Repeat the request with the code as confirm_code. Nothing was changed yet.',
        details,
      })
    : new ApiError({
        code: 'confirmation_required',
        message: 'Prove this change with your passkey, then repeat the request. Nothing was changed yet.',
        details: { ...details, passkey },
      });
}

const wrongCode = {
  code: 'invalid_confirm_code',
  message:
    'This code does not confirm this change. Nothing was changed. Repeat the request without confirm_code to get a new code.',
} as const;

export function createConfirmedTransactions({ pool, confirmations }: ConfirmedTransactionDeps): InConfirmedTransaction {
  /** The refusal of an act that is not confirmed; null if it is. The caller commits either way: a guess has to count. */
  async function judge(
    tx: Transaction,
    { partnerId, sessionId, by: email }: ConfirmingAdmin,
    { act, business, does, facts }: ActToConfirm,
    code: string | undefined,
  ): Promise<ApiError | null> {
    // What the email says is part of it: a person confirms what they read.
    const toConfirm = { partnerId, sessionId, email, what: `act|${JSON.stringify([act, business, does, facts])}` };
    if (code === undefined) {
      const mailWith = (mailed: string) => confirmActMail({ code: mailed, business, does, facts });
      if (await confirmations.useProof(tx, toConfirm)) return null;
      const mail = { kind: 'confirm-act', isBeside: false, mailWith };
      return confirmationRequired(await confirmations.askIn(tx, toConfirm, mail));
    }
    return (await confirmations.use(tx, toConfirm, code)) ? null : new ApiError(wrongCode);
  }

  return async (admin, { code, plan, by = 'admin' }, context, perform) => {
    const outcome = await inTransaction(pool, context, async (tx) => {
      const planned = await plan(tx);
      await (by === 'admin' ? requireAdmin : requireMember)(tx, admin.sessionId);
      const refusal = planned.toConfirm === null ? null : await judge(tx, admin, planned.toConfirm, code);
      return refusal === null
        ? { kind: 'done' as const, result: await perform(tx, planned) }
        : { kind: 'refused' as const, refusal };
    });
    if (outcome.kind === 'refused') throw outcome.refusal;
    return outcome.result;
  };
}
