import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invoiceStatusLabels, leftToPay } from './invoice-labels.ts';

const invoice = {
  object: 'invoice',
  id: '01a22eec-7a00-7f21-8b3d-5c9e0a7d4b62',
  number: 'KP-000042',
  period: '2020-11',
  status: 'issued',
  billed_to: { name: 'Harbour Goods', email: null },
  total_gbp: '15.00',
  carried_over_gbp: '0.00',
  issued_at: '2020-12-01T00:05:00.000Z',
  due_at: '2020-12-15T00:05:00.000Z',
  paid_gbp: '0.00',
  paid_on: null,
  voided_at: null,
  lines: [],
} as const;

test('a paid invoice says since when, and one of nothing asks for nothing', () => {
  assert.equal(invoiceStatusLabels(invoice).label, 'Due');
  assert.equal(invoiceStatusLabels({ ...invoice, status: 'overdue' }).label, 'Overdue');
  assert.equal(invoiceStatusLabels({ ...invoice, status: 'void' }).label, 'Void');
  assert.equal(invoiceStatusLabels({ ...invoice, status: 'paid', paid_on: '2020-12-09' }).label, 'Paid 9 Dec 2020');
  assert.equal(invoiceStatusLabels({ ...invoice, total_gbp: '0.00' }).label, 'Nothing to pay');
});

test('what is left to pay is the total less what was paid, and nothing of a void invoice', () => {
  assert.equal(leftToPay({ ...invoice, lines: [], paid_gbp: '10.01' }), '4.99');
  assert.equal(leftToPay({ ...invoice, lines: [], status: 'void' }), '0.00');
});
