import type { Call, SingleCalls } from '../../platform/database/single-call.ts';

/** What a partner can ask its sandbox bank to answer. */
export const bankAnswers = ['lost', 'slow', 'refused', 'unavailable'] as const;
export type BankAnswer = (typeof bankAnswers)[number];

const setCall: Call = {
  name: 'set_bank_answers',
  text: 'select kelpie.set_bank_answers($1, $2, $3, $4)',
  writes: true,
};

/** Null for a bank that answers as it does. */
export async function setBankAnswers(
  calls: SingleCalls,
  { partnerId, answer, times, at }: { partnerId: string; answer: BankAnswer | null; times: number; at: Date },
): Promise<void> {
  await calls.call(setCall, [partnerId, answer, times, at]);
}

const countCall: Call = { name: 'count_bank_answers', text: 'select kelpie.count_bank_answers($1) as left' };

/** How many answers are still asked for. */
export async function countBankAnswers(calls: SingleCalls, partnerId: string): Promise<number> {
  const [row] = await calls.call<{ left: number }>(countCall, [partnerId]);
  return row?.left ?? 0;
}

const takeCall: Call = { name: 'take_bank_answer', text: 'select kelpie.take_bank_answer($1) as answer', writes: true };

/** The next answer that was asked for, counted; null where none is left. */
export async function takeBankAnswer(calls: SingleCalls, partnerId: string): Promise<BankAnswer | null> {
  const [row] = await calls.call<{ answer: BankAnswer | null }>(takeCall, [partnerId]);
  return row?.answer ?? null;
}
