import { formatExactUsdc, type MicroUsdc } from '../money/amounts.ts';
import type { DepositNews } from '../funding/index.ts';
import { different, equal, inFlight, type Comparison } from './cases/difference.ts';

/** A deposit of ours, with what the ledger moved for it at the bank's wallet. */
export interface OurDeposit {
  id: string;
  bankDepositId: string;
  state: string;
  net: MicroUsdc | null;
  reversed: MicroUsdc | null;
  booked: MicroUsdc;
  listedAt: Date | null;
  changedAt: Date;
}

/** What the bank's list says of a deposit, and when it said so last. */
export interface ListedDeposit extends DepositNews {
  changedAt: Date | null;
}

/** What a deposit did to the wallet at the bank; null where the bank did not say how much. */
export function effectOfDeposit({ isProcessed, isRefunded, net, takenBack }: DepositNews): MicroUsdc | null {
  if (!isProcessed) return 0n;
  if (!isRefunded) return net;
  return net === null || takenBack === null ? null : net - takenBack;
}

function stateAfter({ isProcessed, isRefunded }: DepositNews): string {
  if (isProcessed) return isRefunded ? 'reversed' : 'credited';
  return isRefunded ? 'refunded' : 'pending';
}

/** Pure: the same of the same. At least one of the two is there. */
export function compareDeposit(ours: OurDeposit | null, listed: ListedDeposit | null, cutOff: Date): Comparison {
  const changes = [ours?.changedAt, listed?.changedAt];
  if (changes.some((at) => at !== undefined && at !== null && at >= cutOff)) return inFlight;
  if (listed === null) return ours === null ? equal : missing(ours);
  return ours === null ? unknownHere(listed) : compareBoth(ours, listed);
}

function compareBoth(ours: OurDeposit, listed: ListedDeposit): Comparison {
  const expected = stateAfter(listed);
  if (expected === 'pending' && ours.state === 'pending') return inFlight;
  const effect = effectOfDeposit(listed);
  const amount = effect === null ? null : effect - ours.booked;
  const about = { subject: listed.depositId, relatedId: ours.id, amount };
  if (ours.state !== expected) {
    const detail = `the deposit is ${ours.state}, bank status ${listed.bankState}`;
    return different({ kind: 'deposit_state', ...about, detail });
  }
  const detail = differingAmounts(ours, listed, effect);
  return detail === null ? equal : different({ kind: 'deposit_amount', ...about, detail });
}

function missing({ id, bankDepositId, state, booked }: OurDeposit): Comparison {
  const detail = `the deposit is ${state}, with ${formatExactUsdc(booked)} USDC booked, but the bank does not list it`;
  return different({ kind: 'deposit_missing', subject: bankDepositId, relatedId: id, amount: -booked, detail });
}

/** A deposit that was refunded before it was credited moved no money. */
function unknownHere(listed: ListedDeposit): Comparison {
  const expected = stateAfter(listed);
  if (expected === 'refunded') return equal;
  const detail = `the bank lists it with status ${listed.bankState}, but we have no record; it should be ${expected}`;
  const amount = effectOfDeposit(listed);
  return different({ kind: 'deposit_unknown', subject: listed.depositId, relatedId: null, amount, detail });
}

function usdc(amount: MicroUsdc | null): string {
  return amount === null ? 'nothing' : `${formatExactUsdc(amount)} USDC`;
}

/** A value that the bank leaves out is not a difference. */
function differingAmounts(
  ours: OurDeposit,
  { net, takenBack }: ListedDeposit,
  effect: MicroUsdc | null,
): string | null {
  const found: string[] = [];
  if (net !== null && ours.net !== null && net !== ours.net)
    found.push(`it credited ${usdc(net)}, not ${usdc(ours.net)}`);
  if (takenBack !== null && ours.reversed !== null && takenBack !== ours.reversed)
    found.push(`the bank reversed ${usdc(takenBack)}, not ${usdc(ours.reversed)}`);
  if (effect !== null && effect !== ours.booked)
    found.push(`it moved ${usdc(effect)} at the bank and ${usdc(ours.booked)} in the ledger`);
  return found.length === 0 ? null : found.join('; ');
}
