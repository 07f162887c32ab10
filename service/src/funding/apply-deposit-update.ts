import type { MicroUsdc, Pence } from '../money/amounts.ts';
import type { GbpPerUsd } from '../money/rates.ts';
import type { DepositNews } from './merge-deposit-events.ts';
import type { DepositState, KnownDeposit } from './deposit.ts';

/** One change of a deposit, with the money that moves by it. */
export type DepositStep =
  | { what: 'told'; state: DepositState }
  | { what: 'credited'; state: 'credited'; amount: MicroUsdc }
  | { what: 'refunded'; state: 'refunded' }
  | { what: 'reversed'; state: 'reversed'; amount: MicroUsdc };

export interface DepositChange {
  bankState: string;
  sentPence: Pence | null;
  net: MicroUsdc | null;
  fee: MicroUsdc | null;
  rate: GbpPerUsd | null;
  trouble: string | null;
  /** In order; never none. */
  steps: DepositStep[];
}

const ratePerPenceAndMicro = 10_000_000_000n;

/** Pounds for a dollar, as it came out: of all that was sent, the fee included. Six places, the rest cut off. */
export function rateOf(sent: Pence | null, net: MicroUsdc | null, fee: MicroUsdc | null): GbpPerUsd | null {
  if (sent === null || net === null) return null;
  const rate = (sent * ratePerPenceAndMicro) / (net + (fee ?? 0n));
  return rate === 0n ? null : rate;
}

function isCredited({ state }: KnownDeposit): boolean {
  return state === 'credited' || state === 'reversed';
}

/** Money never moves when the bank contradicts what we recorded: an operator decides. */
function troubleOf(known: KnownDeposit, news: DepositNews, net: MicroUsdc | null): string | null {
  if (news.isProcessed && net === null) return 'the bank processed it without an amount';
  if (isCredited(known) && news.net !== null && news.net !== known.net)
    return 'the bank reports a different amount than was credited';
  const takenBack = news.takenBack ?? net;
  if (news.isRefunded && isCredited(known) && takenBack !== known.net)
    return 'the bank reversed a different amount than was credited';
  if (news.needsAttention) return `bank status ${news.bankState}`;
  return isOver(known, news) ? known.trouble : null;
}

/** At its end here: what the bank's older lines say once more changes nothing. */
function isOver({ state }: KnownDeposit, { isRefunded }: DepositNews): boolean {
  return state === 'reversed' || state === 'refunded' || (state === 'credited' && !isRefunded);
}

function stepsOf(known: KnownDeposit, news: DepositNews, net: MicroUsdc | null): DepositStep[] {
  if (net !== null && !isCredited(known) && news.isProcessed) {
    const credit: DepositStep = { what: 'credited', state: 'credited', amount: net };
    return news.isRefunded || known.state === 'refunded' ? [credit, reversal(news, net)] : [credit];
  }
  if (!news.isRefunded) return [];
  if (net !== null && known.state === 'credited') return [reversal(news, net)];
  const isNew = known.state === 'pending' && !news.isProcessed;
  return isNew ? [{ what: 'refunded', state: 'refunded' }] : [];
}

function reversal({ takenBack }: DepositNews, net: MicroUsdc): DepositStep {
  return { what: 'reversed', state: 'reversed', amount: takenBack ?? net };
}

type Facts = Omit<DepositChange, 'steps'>;

/** What is known once this was said. What was credited stays what it was. */
function factsOf(known: KnownDeposit, news: DepositNews, movesOn: boolean): Facts {
  const sentPence = known.sentPence ?? news.sentPence;
  const { net, fee } = isCredited(known) ? known : { net: news.net ?? known.net, fee: news.fee ?? known.fee };
  const bankState = !movesOn && isOver(known, news) ? known.bankState : news.bankState;
  const trouble = troubleOf(known, news, net);
  return { bankState, sentPence, net, fee, rate: rateOf(sentPence, net, fee), trouble };
}

const reported = ['bankState', 'sentPence', 'net', 'fee', 'rate', 'trouble'] as const;

/** What follows from what the bank says of a deposit; null where nothing does. The order in which it says it does not matter. */
export function applyDepositUpdate(known: KnownDeposit, news: DepositNews): DepositChange | null {
  const net = isCredited(known) ? known.net : (news.net ?? known.net);
  const steps = stepsOf(known, news, net);
  const facts = factsOf(known, news, steps.length > 0);
  if (steps.length > 0) return { ...facts, steps };
  const learnsSender = !known.hasSender && news.sender !== null;
  const isSame = reported.every((fact) => facts[fact] === known[fact]);
  return isSame && !learnsSender ? null : { ...facts, steps: [{ what: 'told', state: known.state }] };
}
