// What partners owe us: charges beside payouts, a month so far, and the invoices that gather what was posted. It owns the
// invoices and the closing of a month's books; it never reckons again what the ledger says.
export { chargeApproval, chargeException } from './charges/single-charges.ts';
export { openInvoiceFile } from './emailing/email-invoice.ts';
export { invoiceNumber, shownStatus } from './invoices/invoice.ts';
export {
  invoiceNumbersIn,
  isBankReference,
  parseDay,
  readTransfers,
  type IncomingTransfer,
} from './payments/incoming-transfers.ts';
export { PaymentRefused, recordPayment } from './payments/record-payment.ts';
export { voidInvoice, type VoidOutcome } from './payments/store.ts';
export { verifyOutstanding, verifyPayments } from './payments/verify-payments.ts';
export { runInvoices, type RunReport } from './invoices/run-invoices.ts';
export { verifyCharges } from './charges/verify-charges.ts';
export { verifyInvoices } from './invoices/verify-invoices.ts';
export type { InvoiceIssuer } from './pdf/printed-invoice.ts';
export {
  findBilledPayout,
  findAdminInvoice,
  listExceptions,
  listAdminInvoices,
  listInvoicesByNumber,
  listPayments,
  readOutstanding,
  type BilledPayout,
  type ChargedException,
  type AdminInvoice,
  type Outstanding,
  type RecordedPayment,
} from './admin/store.ts';
