import { formatPounds } from '../../money/amounts.ts';
import { invoiceNumber, shownStatus, type Invoice } from '../invoices/invoice.ts';
import type { InvoiceIssuer, PrintedInvoice } from './printed-invoice.ts';
import { renderInvoicePdf } from './render-invoice.ts';

export interface InvoiceFile {
  name: string;
  content: Buffer;
}

export function invoiceFileName(invoice: Invoice): string {
  return `kelpie-invoice-${invoiceNumber(invoice.number)}.pdf`;
}

function isPartPaid({ paid, total }: Invoice): boolean {
  return paid > 0n && paid < total;
}

/** What the paper says, formatted as the API formats it. */
export function printedFrom(invoice: Invoice, now: Date): PrintedInvoice {
  return {
    number: invoiceNumber(invoice.number),
    period: invoice.period,
    status: shownStatus(invoice, now),
    issuedAt: invoice.issuedAt,
    dueAt: invoice.dueAt,
    billedTo: invoice.billedTo,
    lines: invoice.lines.map(({ kind, description, quantity, unitPrice, amount }) => ({
      kind,
      description,
      quantity: Number(quantity),
      unitPriceGbp: formatPounds(unitPrice),
      amountGbp: formatPounds(amount),
    })),
    totalGbp: formatPounds(invoice.total),
    leftGbp: isPartPaid(invoice) ? formatPounds(invoice.total - invoice.paid) : null,
    paidOn: invoice.paidOn,
    creditCarriedGbp: invoice.carriedOut === 0n ? null : formatPounds(invoice.carriedOut),
  };
}

/** The invoice as it was issued: what was emailed first and what is sent again are the same. */
export async function printIssuedInvoice(invoice: Invoice, issuer: InvoiceIssuer): Promise<InvoiceFile> {
  const content = await renderInvoicePdf(printedFrom(invoice, invoice.issuedAt), issuer);
  return { name: invoiceFileName(invoice), content };
}
