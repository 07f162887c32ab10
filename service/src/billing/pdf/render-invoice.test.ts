import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readPdf } from '../../../test/harness/read-pdf.ts';
import type { InvoiceIssuer, PrintedInvoice, PrintedLine } from './printed-invoice.ts';
import { renderInvoicePdf } from './render-invoice.ts';

const issuer: InvoiceIssuer = {
  name: 'Kelpie Payouts Ltd',
  details: ['1 Harbour Street', 'Edinburgh EH6 6AA', 'billing@kelpie.example'],
  payTo: { name: 'Kelpie Payouts Ltd', sortCode: '040004', accountNumber: '12345678' },
};

const line = (change: Partial<PrintedLine> = {}): PrintedLine => ({
  kind: 'payout_fees',
  description: 'Fees of 1,204 payouts that arrived',
  quantity: 1,
  unitPriceGbp: '12345.67',
  amountGbp: '12345.67',
  ...change,
});

const invoice = (change: Partial<PrintedInvoice> = {}): PrintedInvoice => ({
  number: 'KP-000042',
  period: '2026-10',
  status: 'issued',
  issuedAt: new Date('2026-11-01T00:00:00Z'),
  dueAt: new Date('2026-11-15T00:00:00Z'),
  billedTo: { name: 'Zoë’s Żółw & Σία Ltd', email: 'accounts@example.test' },
  lines: [line(), line({ kind: 'credit', description: 'Credit', unitPriceGbp: '12.00', amountGbp: '12.00' })],
  totalGbp: '12333.67',
  leftGbp: null,
  paidOn: null,
  creditCarriedGbp: null,
  ...change,
});

test('whoever reads the paper finds number, dates, names, every line, and the total', async () => {
  const { text, pages } = await readPdf(await renderInvoicePdf(invoice(), issuer));
  assert.equal(pages.length, 1);
  for (const expected of [
    'Invoice',
    'KP-000042',
    'October 2026',
    '1 November 2026',
    '15 November 2026',
    'Zoë’s Żółw & Σία Ltd',
    'accounts@example.test',
    'Kelpie Payouts Ltd',
    'Edinburgh EH6 6AA',
    '£12,333.67 due by 15 November 2026',
    'Fees of 1,204 payouts that arrived 1 £12,345.67 £12,345.67',
    'Credit 1 −£12.00 −£12.00',
    'Total £12,333.67',
    'Sort code 04-00-04',
    'Account number 12345678',
    'Reference KP-000042',
  ])
    assert(text.includes(expected), `${expected} is not in: ${text}`);
});

const names: [what: string, name: string, printed: string][] = [
  ['that turns the line round', 'Shop \u202egpj.exe\u202c Ltd', 'Shop gpj.exe Ltd'],
  ['of control characters', 'Sh\u0000op\r\nTotal £0.00', 'Sh op Total £0.00'],
  ['with what can not be seen', 'Shop\u200b\u200e\u00ad\ufeff Ltd', 'Shop Ltd'],
  ['that is not whole', 'Shop \ud800 Ltd', 'Shop ? Ltd'],
  ['of one endless word', 'W'.repeat(200), 'WWWWWWWWWWWWW WWWWW'],
];

for (const [what, name, printed] of names) {
  test(`a name ${what} stands on the paper as plain text`, async () => {
    const hostile = invoice({ billedTo: { name, email: null } });
    const { text } = await readPdf(await renderInvoicePdf(hostile, issuer));
    assert(text.includes(`Billed to ${printed}`), text);
    // Nothing that the font has no letter for.
    assert(!text.includes('\u0000'), text);
    assert(text.includes('Total £12,333.67'), text);
  });
}

test('a screen reader is told the title, the language, and what is a heading and what a table', async () => {
  const { info, lang, roles } = await readPdf(await renderInvoicePdf(invoice(), issuer));
  assert.equal(info['Title'], 'Invoice KP-000042');
  assert.equal(lang, 'en-GB');
  for (const role of ['H1', 'H2', 'Table', 'TR', 'TH', 'TD']) assert(roles.has(role), `no ${role}`);
});

test('the fonts are in the file: it looks the same wherever it is opened', async () => {
  const { fonts } = await readPdf(await renderInvoicePdf(invoice(), issuer));
  assert(fonts.length >= 2);
  for (const { name, isEmbedded } of fonts) {
    assert.match(name, /Inter/);
    assert(isEmbedded, name);
  }
});

async function digestOf(one: PrintedInvoice): Promise<string> {
  return createHash('sha256')
    .update(await renderInvoicePdf(one, issuer))
    .digest('hex');
}

test('the same invoice is the same file, byte for byte, and another is another', async () => {
  assert.equal(await digestOf(invoice()), await digestOf(invoice()));
  assert.notEqual(await digestOf(invoice()), await digestOf(invoice({ totalGbp: '12333.68' })));
});

test('an invoice of 300 lines goes over several numbered pages, each with the head of the table, and loses none', async () => {
  const lines = Array.from({ length: 300 }, (_, at) =>
    line({
      description: `Line ${at + 1}${at % 7 === 0 ? ', with so much to say about it that it does not fit beside its figures at all' : ''}`,
      unitPriceGbp: '1.00',
      amountGbp: '1.00',
    }),
  );
  const { pages } = await readPdf(await renderInvoicePdf(invoice({ lines, totalGbp: '300.00' }), issuer));
  assert(pages.length > 8, `${pages.length} pages`);
  const all = pages.join('\n');
  for (let at = 1; at <= 300; at += 1) assert.match(all, new RegExp(`Line ${at}\\b`));
  for (const [at, text] of pages.entries()) {
    assert(text.includes(`Page ${at + 1} of ${pages.length}`), text);
    assert.match(text, /Description Quantity Unit price Amount/);
  }
  assert.match(pages.at(-1) ?? '', /Line 300\b.*Total £300\.00.*How to pay/s);
});

for (let count = 8; count < 32; count += 1) {
  test(`the end of an invoice of ${count} lines stands on one page, with lines that it is the end of`, async () => {
    const lines = Array.from({ length: count }, () => line({ unitPriceGbp: '1.00', amountGbp: '1.00' }));
    const { pages } = await readPdf(await renderInvoicePdf(invoice({ lines, totalGbp: `${count}.00` }), issuer));
    const last = pages.at(-1) ?? '';
    assert.match(last, /Total £.*How to pay.*Reference KP-000042/s);
    assert((last.match(/Fees of 1,204/g)?.length ?? 0) >= 2, last);
    assert.equal(pages.join('\n').match(/Fees of 1,204/g)?.length, count);
  });
}

test('the largest figures stand on one line each', async () => {
  const most = { quantity: 999_999, unitPriceGbp: '99999999.99', amountGbp: '99999999.99' };
  const credit = { kind: 'credit', quantity: 1, unitPriceGbp: '9999999.99', amountGbp: '9999999.99' };
  const large = invoice({ lines: [line(most), line(credit)], totalGbp: '90000000.00' });
  const { text } = await readPdf(await renderInvoicePdf(large, issuer));
  for (const figures of [
    '999,999 £99,999,999.99 £99,999,999.99',
    '1 −£9,999,999.99 −£9,999,999.99',
    'Total £90,000,000.00',
  ])
    assert(text.includes(figures), text);
});

const sums: [what: string, change: Partial<PrintedInvoice>, said: string, paid: string][] = [
  [
    'that is paid',
    { status: 'paid', paidOn: '2026-11-09' },
    '£12,333.67 paid on 9 November 2026',
    'This invoice is paid.',
  ],
  ['that is void', { status: 'void' }, 'Void: nothing to pay', 'There is nothing to pay.'],
  [
    'of nothing, with credit left',
    { totalGbp: '0.00', creditCarriedGbp: '3.21' },
    'Credit for your next invoice £3.21',
    'There is nothing to pay.',
  ],
  ['that is a draft', { status: 'draft', issuedAt: null, dueAt: null }, '£12,333.67, not yet issued', 'How to pay'],
];

for (const [what, change, said, paid] of sums) {
  test(`an invoice ${what} says so`, async () => {
    const { text } = await readPdf(await renderInvoicePdf(invoice(change), issuer));
    assert(text.includes(said), text);
    assert(text.includes(paid), text);
    if (what !== 'that is a draft') assert(!text.includes('Sort code'), text);
  });
}

test('an invoice that is paid in part says what is left to pay, and how', async () => {
  const { text } = await readPdf(await renderInvoicePdf(invoice({ status: 'overdue', leftGbp: '33.67' }), issuer));
  for (const expected of ['£33.67 due by 15 November 2026', 'Left to pay £33.67', 'Total £12,333.67', 'Sort code'])
    assert(text.includes(expected), `${expected}: ${text}`);
});

test('an overdue invoice is the paper that was issued', async () => {
  const [issued, overdue] = [
    await renderInvoicePdf(invoice(), issuer),
    await renderInvoicePdf(invoice({ status: 'overdue' }), issuer),
  ];
  assert(issued.equals(overdue));
});

test('without an account to pay to, the paper says no account', async () => {
  const { text } = await readPdf(await renderInvoicePdf(invoice(), { ...issuer, payTo: null }));
  assert(text.includes('Pay as agreed and quote KP-000042.'), text);
  assert(!text.includes('Sort code'));
});
