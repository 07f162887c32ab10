// Recording what was paid of an invoice takes one operator, voiding one two.
import { InvalidArgumentError, type Command } from 'commander';
import {
  invoiceNumber,
  isBankReference,
  parseDay,
  PaymentRefused,
  recordPayment,
  voidInvoice,
  type AdminInvoice,
  type VoidOutcome,
} from '../../billing/index.ts';
import { formatPounds, parsePounds } from '../../money/amounts.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import { getInvoice } from './find-invoice.ts';
import { addHelp } from './help.ts';
import { pounds, print } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  describeDone,
  doneAsJson,
  look,
  runAudited,
  withOperator,
  withReason,
  writeCommand,
  type WithReason,
  type WriteOptions,
} from './run-command.ts';

interface PayOptions extends WriteOptions {
  amount: bigint;
  received: string;
  bankReference: string;
}

function amountFrom(text: string): bigint {
  const amount = parsePounds(text);
  if (amount === undefined || amount === 0n)
    throw new InvalidArgumentError('Use pounds and pence above zero, for example 12.50.');
  return amount;
}

function dayFrom(text: string): string {
  const day = parseDay(text);
  if (day === undefined) throw new InvalidArgumentError('Use a date, for example 2026-12-03.');
  return day;
}

function referenceFrom(text: string): string {
  if (!isBankReference(text)) throw new InvalidArgumentError('Use 1 to 100 characters.');
  return text;
}

function unchanged(sentence: string, code: string): OperatorError {
  return new OperatorError(`${sentence} Nothing changed.`, code);
}

/** Why a payment was not recorded. */
function refused(error: unknown, { number, status }: AdminInvoice): unknown {
  if (!(error instanceof PaymentRefused)) return error;
  const invoice = invoiceNumber(number);
  switch (error.outcome) {
    case 'recorded_before':
      return unchanged(`This transfer is already recorded for ${invoice}.`, 'nothing_to_do');
    case 'recorded_otherwise':
      return unchanged(
        'A transfer with this bank reference is already recorded, with another amount or for another invoice.',
        'reference_used',
      );
    case 'not_open':
      return unchanged(`Invoice ${invoice} is ${status === 'void' ? 'void' : 'already paid'}.`, 'invoice_not_open');
    case 'wrong_date':
      return unchanged(`The date is before ${invoice} was issued, or in the future.`, 'wrong_date');
    case 'too_much':
      return unchanged(
        `Only ${pounds(error.left)} is left to pay of ${invoice}. Record that, and send the rest back.`,
        'too_much',
      );
    case 'no_invoice':
    case 'paid':
    case 'part_paid':
      return error;
  }
}

async function pay(text: string, options: PayOptions): Promise<void> {
  const { json, dryRun, amount, received: receivedOn, bankReference } = options;
  const invoice = await look(async (tx) => getInvoice(tx, text));
  const { id: invoiceId, partnerId, partner } = invoice;
  const { left, written } = await withOperator('service', async (deps) =>
    withJobs(deps, async (jobs) =>
      runAudited(deps, options, async (tx) => {
        const detail = { amount_gbp: formatPounds(amount), received_on: receivedOn, bank_reference: bankReference };
        const recorded = await deps.record(tx, { action: 'invoice.pay', subject: invoiceId, detail });
        const payment = { invoiceId, partnerId, amount, receivedOn, bankReference };
        const rest = await recordPayment(tx, jobs, { ...payment, at: deps.clock.now(), mustSettle: false });
        return { left: rest, written: recorded };
      }),
    ),
  ).catch((error: unknown) => {
    throw refused(error, invoice);
  });
  const number = invoiceNumber(invoice.number);
  const rest = left === 0n ? 'It is paid.' : `${pounds(left)} is left to pay.`;
  const sentence = `Recorded a payment of ${pounds(amount)} for ${number} of ${partner}. ${rest}`;
  const shown = { invoiceId, number, partner, amountPence: amount, receivedOn, bankReference, leftPence: left };
  print({ json }, { ...shown, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function addPay(invoices: Command): void {
  const command = writeCommand(invoices.command('pay'))
    .argument('<invoice>', 'invoice number or id')
    .description(
      'Record a payment of an invoice. The invoice is paid once its payments reach the total, and its partner is emailed. A smaller payment is recorded, and the rest stays due. A larger one is refused. Each bank reference is recorded once.',
    )
    .requiredOption('--amount <pounds>', 'what was received in GBP, for example 12.50', amountFrom)
    .requiredOption('--received <date>', 'the day on which it reached our account, for example 2026-12-03', dayFrom)
    .requiredOption('--bank-reference <text>', 'the bank’s own id of the transfer', referenceFrom)
    .action(pay);
  addHelp(command, {
    example:
      'kelpie-admin invoices pay KP-000012 --amount 54.40 --received 2026-12-03 --bank-reference FP-20261203-881 --dry-run',
    prints: 'The payment, what is left to pay, and the audit log entry.',
  });
}

const voidSentences: Readonly<Record<Exclude<VoidOutcome, 'void'>, string>> = {
  not_open: 'It is paid or void.',
  has_payments: 'A part of it is paid.',
  has_credits: 'A payout on it has returned since, and its fee was credited.',
};

async function proposeVoid(text: string, options: WithReason): Promise<void> {
  const { id, number: count, partner, status, paid, total } = await look(async (tx) => getInvoice(tx, text));
  const number = invoiceNumber(count);
  if (status === 'paid' || status === 'void')
    throw new OperatorError(`Invoice ${number} is ${status}. It cannot be voided.`, 'invoice_not_open');
  if (paid > 0n)
    throw new OperatorError(`${pounds(paid)} of invoice ${number} is paid. It cannot be voided.`, 'invoice_not_open');
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'invoice.void',
      subject: id,
      revision: null,
      detail: { invoice: number, partner, total_gbp: formatPounds(total), reason: options.reason },
      what: `void invoice ${number} of ${partner} (${pounds(total)})`,
    }),
  );
}

/** What an approval of `invoices void` does. */
export const invoiceVoiding: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject: invoiceId }, { clock }) {
    const { number: count, partner, total } = await look(async (tx) => getInvoice(tx, invoiceId));
    const number = invoiceNumber(count);
    return {
      async perform(tx) {
        const outcome = await voidInvoice(tx, { invoiceId, proposalId, transferId: newId(clock), at: clock.now() });
        if (outcome !== 'void') throw new ActMoved(`Invoice ${number} cannot be voided. ${voidSentences[outcome]}`);
        const sentence = `Invoice ${number} of ${partner} is void. ${pounds(total)} is no longer due.`;
        return { sentence, shown: { number, status: 'void' } };
      },
    };
  },
};

function addVoid(invoices: Command): void {
  const command = withReason(writeCommand(invoices.command('void')))
    .argument('<invoice>', 'invoice number or id')
    .description(
      'Propose to void an unpaid invoice, for another operator to approve. Its charges are cancelled, and the credit that it used is due again. It keeps its number, and no other invoice is issued for its month. Refused once a part is paid, or a payout on it was credited.',
    )
    .action(proposeVoid);
  addHelp(command, {
    example: 'kelpie-admin invoices void KP-000012 --reason "test account, ticket 812"',
    prints: 'The proposal, how another operator approves it, and the audit log entry.',
  });
}

export function addInvoiceActs(invoices: Command): void {
  addPay(invoices);
  addVoid(invoices);
}
