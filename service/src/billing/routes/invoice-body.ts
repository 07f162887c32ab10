import { Type, type Static } from 'typebox';
import { Id, Instant, listOf, MoneyString, nullableText, oneOf } from '../../http/schema/fields.ts';
import { nameSchema } from '../../http/schema/schemas.ts';
import { formatPounds } from '../../money/amounts.ts';
import { wholePence } from '../../money/fees.ts';
import { csvLine } from '../../platform/csv.ts';
import { invoiceNumber, lineKinds, shownStatus, type Invoice, type InvoiceLine } from '../invoices/invoice.ts';
import type { Item } from '../invoices/list-items.ts';

const InvoiceLineSchema = Type.Object({
  kind: oneOf(lineKinds, { description: 'A `credit` is subtracted; all others are added.' }),
  description: Type.String(),
  quantity: Type.Integer(),
  unit_price_gbp: MoneyString,
  amount_gbp: Type.String({ ...MoneyString, description: 'Always quantity times unit price.' }),
  items: Type.Integer({ description: 'How many items are behind it: `/v1/invoices/{id}/items?kind=…` lists them.' }),
});

export const InvoiceSchema = nameSchema(
  'Invoice',
  Type.Object(
    {
      object: Type.Literal('invoice'),
      id: Id,
      number: Type.String({ description: 'Invoices are numbered without gaps.', examples: ['KP-000042'] }),
      period: Type.String({ description: 'The month, as 2026-11.' }),
      status: oneOf(['draft', 'issued', 'paid', 'overdue', 'void']),
      billed_to: Type.Object(
        { name: Type.String(), email: nullableText({ format: 'email' }) },
        { description: 'Your name and billing email, as they were when it was issued.' },
      ),
      total_gbp: MoneyString,
      carried_over_gbp: Type.String({
        ...MoneyString,
        description: 'Credit that is left over, for the next invoice. Either this or the total is 0.00.',
      }),
      issued_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
      due_at: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
      lines: Type.Array(InvoiceLineSchema),
    },
    { description: 'What was charged in a calendar month of London: all lines but credits, less the credits.' },
  ),
);

export const InvoiceList = nameSchema(
  'InvoiceList',
  listOf(InvoiceSchema.ref, { description: 'Of the last 24 months, newest first.' }),
);

const InvoiceItem = nameSchema(
  'InvoiceItem',
  Type.Object(
    {
      id: Id,
      at: Instant,
      kind: oneOf(lineKinds),
      effect: oneOf(['charge', 'taken_back', 'credit', 'carried_over'], {
        description: 'The items of a line sum to it: what was taken back is subtracted, all else is added.',
      }),
      payout_id: nullableText({ format: 'uuid' }),
      reference: nullableText({ description: 'That of the payout.' }),
      payout_amount_gbp: nullableText({ description: 'What the recipient got.' }),
      amount_gbp: Type.String({ ...MoneyString, description: 'Rounded to the penny.' }),
      amount_micro_gbp: Type.Integer({
        minimum: 0,
        description:
          'The exact amount in millionths of a pound. Items sum to their line exactly in this unit; the line is rounded once.',
        examples: [17380],
      }),
    },
    { description: 'One payout or charge behind a line of an invoice.' },
  ),
);
export const InvoiceItemList = nameSchema(
  'InvoiceItemList',
  listOf(InvoiceItem.ref, { description: 'In the order in which they were posted.' }),
);

export const invoiceSchemas = [InvoiceSchema, InvoiceList, InvoiceItem, InvoiceItemList];

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
