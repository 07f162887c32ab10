import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import type { PaymentFailure } from './payments.ts';

export type ControlOutcome =
  | { kind: 'done' }
  /** The payment is at a point from which this can't be done. */
  | { kind: 'refused' }
  /** It could not be asked, or its answer could not be understood. */
  | { kind: 'failed'; text: string };

type RevealOutcome = { kind: 'found'; paymentId: string } | { kind: 'absent' } | { kind: 'failed'; text: string };

/** What is sent to a funding source: pounds to an account, or USDC to an address. */
export type TestDeposit =
  | { method: 'bank_transfer'; sourceId: string; amount: Pence }
  | { method: 'usdc'; sourceId: string; amount: MicroUsdc };

type DepositOutcome = { kind: 'done'; depositId: string } | { kind: 'failed'; text: string };

/** A bank that is made for tests, and does what it is asked to. A provider's own sandbox is none. */
export interface SandboxControls {
  /** Ends an unclear outcome: if the bank has a payment for our order, it answers about it from now on. */
  revealPayment(ourReference: string): Promise<RevealOutcome>;
  settlePayment(paymentId: string): Promise<ControlOutcome>;
  /** It does not arrive, and its money is back at once. */
  failPayment(paymentId: string, failure: PaymentFailure): Promise<ControlOutcome>;
  /** Of one that arrived. */
  returnPayment(paymentId: string, failure: PaymentFailure): Promise<ControlOutcome>;
  /** It stays where it is until something else is asked of it. It can be cancelled. */
  holdPayment(paymentId: string): Promise<ControlOutcome>;
  /** In the wallet when this returns. */
  receiveDeposit(deposit: TestDeposit): Promise<DepositOutcome>;
}
