import { dayStart } from '../../platform/london-day.ts';
import { kelpieMark } from './kelpie-mark.ts';
import {
  onPaper,
  printDay,
  printMonth,
  printPounds,
  type InvoiceIssuer,
  type PrintedInvoice,
  type PrintedLine,
} from './printed-invoice.ts';
import { inner, openSheet, page, type Group, type Sheet, type TextStyle } from './sheet.ts';

const label: TextStyle = { size: 8.5, colour: 'soft' };
const body: TextStyle = { size: 9.5 };
const strong: TextStyle = { size: 9.5, weight: 'semibold' };

const footerY = page.height - 46;
/** Nothing of the invoice itself stands below this. */
const lowest = page.height - 78;

/** Where each column of the table begins, how wide it is, and to which side it leans. */
const columns = {
  description: { x: inner.left, width: 274 },
  quantity: { x: inner.left + 276, width: 44, align: 'right' },
  unitPrice: { x: inner.left + 322, width: 79, align: 'right' },
  amount: { x: inner.left + 404, width: inner.width - 404, align: 'right' },
} as const;

function isCredit({ kind }: PrintedLine): boolean {
  return kind === 'credit';
}

/** The brand, and what this paper is. Says where the next thing can stand. */
function drawHead(sheet: Sheet): number {
  const y = 54;
  sheet.mark(kelpieMark, { x: inner.left - 2, y: y + 1, size: 25 });
  sheet.text('P', 'Kelpie', { x: inner.left + 29, y, width: 200 }, { size: 20, weight: 'semibold' });
  const box = { x: inner.left + 240, y, width: inner.width - 240, align: 'right' } as const;
  sheet.text('H1', 'Invoice', box, { size: 20, weight: 'semibold' });
  return y + 62;
}

interface Party {
  heading: string;
  name: string;
  details: readonly string[];
}

function drawParty(
  sheet: Sheet,
  { heading, name, details }: Party,
  { x, y, width }: { x: number; y: number; width: number },
): number {
  const part = sheet.group('Sect');
  part.text('H2', heading, { x, y, width }, label);
  let below = y + 16;
  for (const [at, text] of [name, ...details].entries()) {
    const style = at === 0 ? strong : body;
    part.text('P', text, { x, y: below, width }, style);
    below += sheet.heightOf(text, width, style) + 1;
  }
  return below;
}

/** Label and value, one under the other. */
function drawFacts(
  sheet: Sheet,
  facts: readonly (readonly [string, string])[],
  { x, y, width }: { x: number; y: number; width: number },
): number {
  const table = sheet.group('Table');
  let below = y;
  for (const [name, value] of facts) {
    const row = table.group('TR');
    row.text('TH', name, { x, y: below + 0.8, width: 76 }, label);
    row.text('TD', value, { x: x + 78, y: below, width: width - 78, align: 'right' }, strong);
    below += Math.max(15, sheet.heightOf(value, width - 78, strong) + 2);
  }
  return below;
}

function datesOf({ issuedAt, dueAt }: PrintedInvoice): [string, string][] {
  return [
    ...(issuedAt === null ? [] : [['Issued', printDay(issuedAt)] satisfies [string, string]]),
    ...(dueAt === null ? [] : [['Due', printDay(dueAt)] satisfies [string, string]]),
  ];
}

function drawParties(sheet: Sheet, invoice: PrintedInvoice, issuer: InvoiceIssuer, y: number): number {
  const { name, email } = invoice.billedTo;
  const billedTo = { heading: 'Billed to', name: onPaper(name), details: email === null ? [] : [onPaper(email)] };
  const from = { heading: 'From', name: issuer.name, details: issuer.details };
  const facts: [string, string][] = [
    ['Invoice', invoice.number],
    ['For', printMonth(invoice.period)],
    ...datesOf(invoice),
  ];
  return Math.max(
    drawParty(sheet, billedTo, { x: inner.left, y, width: 138 }),
    drawParty(sheet, from, { x: inner.left + 154, y, width: 138 }),
    drawFacts(sheet, facts, { x: inner.left + 308, y, width: inner.width - 308 }),
  );
}

/** The one thing that whoever opens an invoice wants to know. */
function sumUp({ totalGbp, leftGbp, status, dueAt, paidOn }: PrintedInvoice): string {
  const total = printPounds(leftGbp ?? totalGbp);
  if (status === 'void') return 'Void: nothing to pay';
  if (totalGbp === '0.00') return 'Nothing to pay';
  if (paidOn !== null) return `${total} paid on ${printDay(dayStart(paidOn))}`;
  return dueAt === null ? `${total}, not yet issued` : `${total} due by ${printDay(dueAt)}`;
}

function drawSum(sheet: Sheet, invoice: PrintedInvoice, y: number): number {
  sheet.text('P', sumUp(invoice), { x: inner.left, y, width: inner.width }, { size: 17, weight: 'semibold' });
  return y + 42;
}

function drawTableHead(sheet: Sheet, table: Group, y: number): number {
  const row = table.group('TR');
  row.text('TH', 'Description', { ...columns.description, y }, label);
  row.text('TH', 'Quantity', { ...columns.quantity, y }, label);
  row.text('TH', 'Unit price', { ...columns.unitPrice, y }, label);
  row.text('TH', 'Amount', { ...columns.amount, y }, label);
  sheet.hairline(y + 17, 'soft');
  return y + 17;
}

const rowPadding = 7.5;

function rowHeight(sheet: Sheet, description: string): number {
  return sheet.heightOf(description, columns.description.width, body) - 2 + 2 * rowPadding;
}

function drawRow(table: Group, line: PrintedLine, top: number): void {
  const y = top + rowPadding;
  const sign = isCredit(line) ? '−' : '';
  const row = table.group('TR');
  row.text('TD', onPaper(line.description), { ...columns.description, y }, body);
  row.text('TD', line.quantity.toLocaleString('en-GB'), { ...columns.quantity, y }, body);
  row.text('TD', printPounds(line.unitPriceGbp, sign), { ...columns.unitPrice, y }, body);
  row.text('TD', printPounds(line.amountGbp, sign), { ...columns.amount, y }, body);
}

/** Says where on a new page something can stand. */
function turnPage(sheet: Sheet): number {
  sheet.addPage();
  return page.margin;
}

/** What stands below the lines is kept together, */
const endHeight = 190;
/** and with the last of them: a total alone on a page would not say what it is the total of. */
const rowsWithEnd = 2;

/** Rows are never broken; where a page is full, the next begins with the table's head. */
function drawLines(sheet: Sheet, lines: readonly PrintedLine[], y: number): number {
  const table = sheet.group('Table');
  const heights = lines.map(({ description }) => rowHeight(sheet, onPaper(description)));
  const endAt = Math.max(0, lines.length - rowsWithEnd);
  const heightOfEnd = heights.slice(endAt).reduce((sum, height) => sum + height, endHeight);
  let below = drawTableHead(sheet, table, y);
  for (const [at, line] of lines.entries()) {
    const height = heights[at] ?? 0;
    const needed = at === endAt ? Math.max(height, heightOfEnd) : height;
    if (below + needed > lowest) below = drawTableHead(sheet, table, turnPage(sheet));
    drawRow(table, line, below);
    below += height;
    sheet.hairline(below);
  }
  return below;
}

function totalsOf({ totalGbp, leftGbp, creditCarriedGbp }: PrintedInvoice): [string, string, TextStyle][] {
  const large: TextStyle = { size: 12, weight: 'semibold' };
  return [
    ['Total', printPounds(totalGbp), large],
    ...(leftGbp === null ? [] : [['Left to pay', printPounds(leftGbp), body] satisfies [string, string, TextStyle]]),
    ...(creditCarriedGbp === null
      ? []
      : [['Credit for your next invoice', printPounds(creditCarriedGbp), body] satisfies [string, string, TextStyle]]),
  ];
}

const totals = { x: inner.right - 106, width: 106, align: 'right' } as const;

function drawTotals(sheet: Sheet, invoice: PrintedInvoice, y: number): number {
  const table = sheet.group('Table');
  let below = y + 10;
  for (const [name, amount, style] of totalsOf(invoice)) {
    const row = table.group('TR');
    row.text('TH', name, { x: inner.left + 150, y: below, width: totals.x - inner.left - 166, align: 'right' }, style);
    row.text('TD', amount, { ...totals, y: below }, style);
    below += style.size + 10;
  }
  return below;
}

function sortCodeOf(sixDigits: string): string {
  return sixDigits.replaceAll(/(\d\d)(?=\d)/g, '$1-');
}

/** How to pay, in words and in figures; or why there is nothing to be paid. */
function paymentOf(
  { number, status, totalGbp }: PrintedInvoice,
  { payTo }: InvoiceIssuer,
): { words: string; facts: [string, string][] } {
  if (status === 'paid') return { words: 'This invoice is paid. Thank you.', facts: [] };
  if (status === 'void' || totalGbp === '0.00') return { words: 'There is nothing to pay.', facts: [] };
  if (payTo === null) return { words: `Pay as agreed and quote ${number}.`, facts: [] };
  return {
    words: 'Pay by bank transfer in pounds. Use the reference below so that we can match your payment.',
    facts: [
      ['Account name', payTo.name],
      ['Sort code', sortCodeOf(payTo.sortCode)],
      ['Account number', payTo.accountNumber],
      ['Reference', number],
    ],
  };
}

const paymentWidth = 230;

function drawPayment(sheet: Sheet, invoice: PrintedInvoice, issuer: InvoiceIssuer, y: number): void {
  const { words, facts } = paymentOf(invoice, issuer);
  const part = sheet.group('Sect');
  part.text('H2', 'How to pay', { x: inner.left, y, width: paymentWidth }, strong);
  part.text('P', words, { x: inner.left, y: y + 17, width: paymentWidth }, { ...body, colour: 'soft' });
  drawFacts(sheet, facts, {
    x: inner.left,
    y: y + 25 + sheet.heightOf(words, paymentWidth, body),
    width: paymentWidth,
  });
}

function drawFooters(sheet: Sheet, { number }: PrintedInvoice, { name }: InvoiceIssuer): void {
  sheet.eachPage((put, at) => {
    put(name, { x: inner.left, y: footerY, width: 240 }, label);
    const place = at.of === 1 ? number : `${number}  ·  Page ${at.number} of ${at.of}`;
    put(place, { x: inner.left + 250, y: footerY, width: inner.width - 250, align: 'right' }, label);
  });
}

/** The invoice on paper. The same invoice is the same file, byte for byte. */
export async function renderInvoicePdf(invoice: PrintedInvoice, issuer: InvoiceIssuer): Promise<Buffer> {
  const sheet = await openSheet({
    title: `Invoice ${invoice.number}`,
    author: issuer.name,
    subject: `Invoice for ${printMonth(invoice.period)}, to ${onPaper(invoice.billedTo.name)}`,
    date: invoice.issuedAt ?? new Date(`${invoice.period}-01T00:00:00Z`),
  });
  const parties = drawParties(sheet, invoice, issuer, drawHead(sheet));
  const sum = drawSum(sheet, invoice, parties + 34);
  const table = drawLines(sheet, invoice.lines, sum);
  const below = drawTotals(sheet, invoice, table);
  drawPayment(sheet, invoice, issuer, below + 26);
  drawFooters(sheet, invoice, issuer);
  return sheet.finish();
}
