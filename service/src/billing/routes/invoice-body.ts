import { Type, type Static } from 'typebox';
import { dateTime, listOf, money, nullableInstant, nullableText, oneOf, uuid } from '../../http/schema/fields.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { formatPounds } from '../../money/amounts.ts';
import { wholePence } from '../../money/fees.ts';
import { csvLine } from '../../platform/csv.ts';
import { invoiceNumber, lineKinds, shownStatus, type Invoice, type InvoiceLine } from '../invoices/invoice.ts';
import type { Item } from '../invoices/list-items.ts';

const InvoiceLineSchema = Type.Object({
  kind: oneOf(lineKinds, { description: 'The kind of charge. A `credit` is subtracted, all others are added.' }),
  description: Type.String({ description: 'The line as it is printed.' }),
  quantity: Type.Integer({ description: 'The quantity.' }),
  unit_price_gbp: money('The price of one, in pounds.'),
  amount_gbp: money('Quantity times unit price, in pounds.'),
  items: Type.Integer({
    description: 'The number of items in the line. List invoice items with its `kind` to see them.',
  }),
});

export const InvoiceSchema = nameSchema(
  'Invoice',
  Type.Object(
    {
      object: Type.Literal('invoice', { description: 'Always `invoice`.' }),
      id: uuid('The id of the invoice.'),
      number: Type.String({ description: 'The invoice number. Numbers have no gaps.' }),
      period: Type.String({ description: 'The month that it covers, as YYYY-MM.' }),
      status: oneOf(['draft', 'issued', 'paid', 'overdue', 'void'], {
        description:
          '`issued` until it is paid or its due day is over in London, then `paid` or `overdue`. Nothing is to be paid of one that is `void`.',
      }),
      billed_to: Type.Object(
        {
          name: Type.String({ description: 'The name of the business.' }),
          email: nullableText({ format: 'email', description: 'The billing email.' }),
        },
        { description: 'Your name and billing email, as they were when the invoice was issued.' },
      ),
      total_gbp: money('The amount to pay, in pounds: all charges minus credits.'),
      carried_over_gbp: money(
        'Credit left over for the next invoice, in pounds. Either this or the total is 0.00. On the last invoice of a closed account, we owe it to you.',
      ),
      issued_at: nullableInstant({ description: 'When it was issued.' }),
      due_at: nullableInstant({ description: 'When payment is due: 14 days after issue.' }),
      paid_gbp: money('What we received for it so far, in pounds.'),
      paid_on: nullableText({
        format: 'date',
        description: 'The day in London on which we received the last payment. Null unless it is paid.',
      }),
      voided_at: nullableInstant({ description: 'When it was voided: its charges are cancelled. Null if it was not.' }),
      lines: Type.Array(InvoiceLineSchema, { description: 'One line per kind of charge.' }),
    },
    { description: 'What was charged in a calendar month, in London time.' },
  ),
);

export const InvoiceList = nameSchema(
  'InvoiceList',
  listOf(InvoiceSchema.ref, { description: 'Invoices, newest first.' }),
);

export const InvoiceItem = nameSchema(
  'InvoiceItem',
  Type.Object(
    {
      id: uuid('The id of the item.'),
      at: dateTime('When it was posted.'),
      kind: oneOf(lineKinds, { description: 'The line that it belongs to.' }),
      effect: oneOf(['charge', 'taken_back', 'credit', 'carried_over'], {
        description: 'How it counts in its line: `taken_back` is subtracted, all others are added.',
      }),
      payout_id: nullableText({ format: 'uuid', description: 'The payout that it is for. Null if none.' }),
      reference: nullableText({ description: 'The reference of that payout.' }),
      payout_amount_gbp: nullableText({ description: 'What its recipient received, in pounds.' }),
      amount_gbp: money('The amount in pounds, rounded to the penny.'),
      amount_micro_gbp: Type.Integer({
        minimum: 0,
        description:
          'The exact amount in millionths of a pound. Items add up to their line in this unit; the line is rounded once.',
      }),
    },
    { description: 'One charge or credit of an invoice line.' },
  ),
);
export const InvoiceItemList = nameSchema(
  'InvoiceItemList',
  listOf(InvoiceItem.ref, { description: 'Invoice items, in the order in which they were posted.' }),
);

function lineBody({ kind, description, quantity, unitPrice, amount, items }: InvoiceLine) {
  return {
    kind,
    description,
    quantity: Number(quantity),
    unit_price_gbp: formatPounds(unitPrice),
    amount_gbp: formatPounds(amount),
    items,
  };
}

export function invoiceBody(invoice: Invoice, now: Date): Static<typeof InvoiceSchema.definition> {
  return {
    object: 'invoice',
    id: invoice.id,
    number: invoiceNumber(invoice.number),
    period: invoice.period,
    status: shownStatus(invoice, now),
    billed_to: invoice.billedTo,
    total_gbp: formatPounds(invoice.total),
    carried_over_gbp: formatPounds(invoice.carriedOut),
    issued_at: invoice.issuedAt.toISOString(),
    due_at: invoice.dueAt.toISOString(),
    paid_gbp: formatPounds(invoice.paid),
    paid_on: invoice.paidOn,
    voided_at: invoice.voidedAt?.toISOString() ?? null,
    lines: invoice.lines.map(lineBody),
  };
}

export function itemBody(item: Item): Static<typeof InvoiceItem.definition> {
  return {
    id: item.id,
    at: item.at.toISOString(),
    kind: item.kind,
    effect: item.effect,
    payout_id: item.payoutId,
    reference: item.reference,
    payout_amount_gbp: item.payoutAmount === null ? null : formatPounds(item.payoutAmount),
    amount_gbp: formatPounds(wholePence(item.amount)),
    amount_micro_gbp: Number(item.amount),
  };
}

const itemColumns = [
  'id',
  'at',
  'kind',
  'effect',
  'payout_id',
  'reference',
  'payout_amount_gbp',
  'amount_gbp',
  'amount_micro_gbp',
] as const;

function itemLine(item: Item): string {
  const body = itemBody(item);
  return csvLine(itemColumns.map((column) => String(body[column] ?? '')));
}

/** The items as a file. */
export async function* writeItems(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<string> {
  let lines = csvLine(itemColumns);
  for await (const page of pages) {
    yield lines + page.map(itemLine).join('');
    lines = '';
  }
}
