import type { MicroGbp, MicroUsdc, Pence } from '../money/amounts.ts';
import { because, credit, debit, linesOf, type Line } from './transfer.ts';

// What happens to a partner's money, each as the lines of one transfer. docs/ledger.md shows the same as a table.
// W: what the partner's wallet sends. B: what the bank took for it. R: what the bank gave back.

/**
 * The bank has processed a deposit; `amount` is net of its fee. What the partner owes for one that was taken back is paid
 * for first: the bank's wallet lacks just that much.
 */
export function deposit(amount: MicroUsdc, repays: MicroUsdc = 0n): Line[] {
  return linesOf(debit('bank_wallet', amount), credit('partner_receivable', repays), credit('wallet', amount - repays));
}

/** A sandbox leaves the simulated rail: what the wallet still holds was never at a bank, and goes with it. */
export function sandboxClosed(left: MicroUsdc): Line[] {
  return linesOf(debit('wallet', left), credit('bank_wallet', left));
}

/** W leaves the wallet and is held: the recipient's amount, and beside it the bank's share of the fee. */
export function hold(deps: { principal: MicroUsdc; providerFee: MicroUsdc }): Line[] {
  const { principal, providerFee } = deps;
  return linesOf(debit('wallet', principal + providerFee), credit('held', principal), credit('held', providerFee));
}

/** The bank has a payment that we had given up: W is held for it again. */
export function heldAgain({ held }: { held: MicroUsdc }): Line[] {
  return because('payout.hold', linesOf(debit('wallet', held), credit('held', held)));
}

/** The bank accepted the payment and took B for it. */
export function taken({ byBank }: { byBank: MicroUsdc }): Line[] {
  return linesOf(debit('in_transit', byBank), credit('bank_wallet', byBank));
}

/** The payment arrived. The rate was not locked, so the bank may have taken a little more or less than was held. */
export function arrived({ held, byBank }: { held: MicroUsdc; byBank: MicroUsdc }): Line[] {
  return linesOf(debit('held', held), credit('in_transit', byBank), credit('fx', held - byBank));
}

/** What is charged, by the kind of line that it is on an invoice. */
export type ChargeKind = 'payout_fees' | 'monthly_account' | 'business_verification' | 'bank_exceptions';

/** Something is charged for. Live only, as everything in pounds. */
export function charged(kind: ChargeKind, amount: Pence): Line[] {
  return because(`charge.${kind}`, linesOf(debit('receivable', amount), credit('revenue', amount)));
}

/** The part of the fee that goes on the invoice. */
export function feeEarned({ invoiceShare }: { invoiceShare: Pence }): Line[] {
  return charged('payout_fees', invoiceShare);
}

/** What the network cost, and our part: fractions of a penny, of which the invoice rounds the sum. */
export function networkFeeAccrued(amount: MicroGbp): Line[] {
  return because('charge.network_fees', linesOf(debit('accrued', amount), credit('accrued_revenue', amount)));
}

/** The bank never took it: the hold goes back to the wallet. */
export function released({ held }: { held: MicroUsdc }): Line[] {
  return linesOf(debit('held', held), credit('wallet', held));
}

/**
 * It failed after the bank took it, and the bank gave R back. The partner has all of W again. What is missing is our loss.
 * What is too much belongs to nobody yet.
 */
export function refundedAfterFailure(amounts: { held: MicroUsdc; byBank: MicroUsdc; refund: MicroUsdc }): Line[] {
  const { held, byBank, refund } = amounts;
  const isTooMuch = refund > byBank;
  return linesOf(
    debit('bank_wallet', refund),
    debit('exception_loss', isTooMuch ? 0n : byBank - refund),
    credit('suspense', isTooMuch ? refund - byBank : 0n),
    credit('in_transit', byBank),
    debit('held', held),
    credit('wallet', held),
  );
}

/** Where the money of a return goes: to the partner, or to suspense while its amount is in question. */
export type ReturnedTo = 'wallet' | 'suspense';

interface ReturnBeforeArrival {
  held: MicroUsdc;
  byBank: MicroUsdc;
  refund: MicroUsdc;
  to: ReturnedTo;
}

/** The recipient's bank sent it back before it was completed: the partner has what really came back. */
export function returnedBeforeArrival({ held, byBank, refund, to }: ReturnBeforeArrival): Line[] {
  return linesOf(
    debit('bank_wallet', refund),
    credit('in_transit', refund),
    debit('held', held),
    credit(to, refund),
    credit('in_transit', byBank - refund),
    credit('fx', held - byBank),
  );
}

/** The recipient's bank sent it back after it was completed. */
export function returnedAfterArrival({ refund, to }: { refund: MicroUsdc; to: ReturnedTo }): Line[] {
  return linesOf(debit('bank_wallet', refund), credit(to, refund));
}

/** A fee that is dropped: it comes off what is still to be invoiced, or is owed back where it was invoiced already. */
export function feeDropped(fee: { invoiceShare: Pence; invoiced: boolean }): Line[] {
  return fee.invoiced
    ? credited('payout_fees', fee.invoiceShare)
    : because(
        'charge.payout_fees',
        linesOf(debit('revenue', fee.invoiceShare), credit('receivable', fee.invoiceShare)),
      );
}

/** The bank came by its share of the fee inside the transfer, and kept it though the payout came back: we owe it. */
export function providerFeeCredited(amount: Pence): Line[] {
  return credited('provider_fee', amount);
}

function credited(what: 'payout_fees' | 'provider_fee', amount: Pence): Line[] {
  return because(`credit.${what}`, linesOf(debit('revenue', amount), credit('credit_due', amount)));
}

/** What an invoice books itself: network fees, rounded once, and the credit that it uses up. */
export function invoiced(of: { accrued: MicroGbp; networkFees: Pence; creditUsed: Pence }): Line[] {
  return linesOf(
    debit('accrued_revenue', of.accrued),
    credit('accrued', of.accrued),
    debit('receivable', of.networkFees),
    credit('revenue', of.networkFees),
    debit('credit_due', of.creditUsed),
    credit('receivable', of.creditUsed),
  );
}

/** A deposit was taken back. What the wallet no longer holds of it, the partner owes us. */
export function depositReversed(amounts: { amount: MicroUsdc; walletHolds: MicroUsdc }): Line[] {
  const { amount, walletHolds } = amounts;
  const fromWallet = walletHolds < amount ? walletHolds : amount;
  return linesOf(
    debit('wallet', fromWallet),
    debit('partner_receivable', amount - fromWallet),
    credit('bank_wallet', amount),
  );
}

/** A named operator found money at the bank that belongs to nobody yet, or misses some (a negative amount). */
export function bankDifferenceFound(amount: MicroUsdc): Line[] {
  return linesOf(debit('bank_wallet', amount), credit('suspense', amount));
}

/** A named operator gives it to the partner's wallet, or takes it from there (a negative amount). */
export function suspenseResolved(amount: MicroUsdc): Line[] {
  return linesOf(debit('suspense', amount), credit('wallet', amount));
}

/** Between the house's own wallet at the bank and the partner's there. */
interface FloatMove {
  kind: 'top_up' | 'sweep';
  amount: MicroUsdc;
}

const floatEnds = {
  top_up: { from: 'house_float', to: 'bank_wallet' },
  sweep: { from: 'bank_wallet', to: 'house_float' },
} as const;

/** The bank is about to be asked: it has left where it comes from, and is not there yet. */
export function floatBegun({ kind, amount }: FloatMove): Line[] {
  return linesOf(debit('float_in_transit', amount), credit(floatEnds[kind].from, amount));
}

/** The bank has moved it. */
export function floatArrived({ kind, amount }: FloatMove): Line[] {
  return linesOf(debit(floatEnds[kind].to, amount), credit('float_in_transit', amount));
}

/** The bank did not move it, or gave it back. */
export function floatFailed({ kind, amount }: FloatMove): Line[] {
  return linesOf(debit(floatEnds[kind].from, amount), credit('float_in_transit', amount));
}
