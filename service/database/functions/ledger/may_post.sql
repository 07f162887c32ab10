-- Which accounts an entry of each reason may touch. post_transfers refuses every other pair. docs/ledger.md has the
-- same as a table of events.
-- One list of constants, which PostgreSQL looks up by a hash. A case with a branch per reason would be prepared anew at each
-- posting. Stable, because the text of an enum's value is.
-- Callers: everyone
create or replace function kelpie.may_post(reason text, account kelpie.ledger_account) returns boolean
  language sql stable parallel safe
  return coalesce((reason || ' ' || account::text) = any (array[
    'payout.hold wallet', 'payout.hold held',
    'payout.bank_accepted in_transit', 'payout.bank_accepted bank_wallet',
    'payout.arrived held', 'payout.arrived in_transit', 'payout.arrived fx',
    'charge.payout_fees receivable', 'charge.payout_fees revenue',
    'charge.network_fees accrued', 'charge.network_fees accrued_revenue',
    'payout.amount_taken in_transit', 'payout.amount_taken bank_wallet',
    'payout.rejected held', 'payout.rejected wallet', 'payout.rejected partner_receivable',
    'payout.not_created held', 'payout.not_created wallet', 'payout.not_created partner_receivable',
    'payout.released held', 'payout.released wallet', 'payout.released partner_receivable',
    'payout.refunded bank_wallet', 'payout.refunded exception_loss', 'payout.refunded suspense',
    'payout.refunded in_transit', 'payout.refunded held', 'payout.refunded wallet',
    'payout.refunded partner_receivable',
    'payout.cancelled bank_wallet', 'payout.cancelled exception_loss', 'payout.cancelled suspense',
    'payout.cancelled in_transit', 'payout.cancelled held', 'payout.cancelled wallet',
    'payout.cancelled partner_receivable',
    'payout.returned bank_wallet', 'payout.returned in_transit', 'payout.returned held', 'payout.returned wallet',
    'payout.returned suspense', 'payout.returned fx', 'payout.returned partner_receivable',
    'credit.payout_fees revenue', 'credit.payout_fees credit_due',
    'credit.provider_fee revenue', 'credit.provider_fee credit_due',
    'charge.bank_exceptions receivable', 'charge.bank_exceptions revenue',
    'charge.monthly_account receivable', 'charge.monthly_account revenue',
    'charge.business_verification receivable', 'charge.business_verification revenue',
    'invoice.issued accrued', 'invoice.issued accrued_revenue', 'invoice.issued receivable', 'invoice.issued revenue',
    'invoice.issued credit_due',
    'invoice.paid cash', 'invoice.paid receivable',
    'invoice.voided revenue', 'invoice.voided receivable',
    'credit.voided_invoice revenue', 'credit.voided_invoice credit_due',
    'deposit.credited bank_wallet', 'deposit.credited partner_receivable', 'deposit.credited wallet',
    'deposit.reversed wallet', 'deposit.reversed partner_receivable', 'deposit.reversed bank_wallet',
    'sandbox.float bank_wallet', 'sandbox.float wallet',
    'sandbox.closed bank_wallet', 'sandbox.closed wallet',
    'float.top_up house_float', 'float.top_up float_in_transit',
    'float.sweep bank_wallet', 'float.sweep float_in_transit',
    'float.arrived bank_wallet', 'float.arrived house_float', 'float.arrived float_in_transit',
    'float.failed bank_wallet', 'float.failed house_float', 'float.failed float_in_transit',
    'correction bank_wallet', 'correction suspense', 'correction wallet', 'correction partner_receivable'
  ]), false);
