-- Which accounts an entry of each reason may touch. post_transfers refuses every other pair. docs/ledger.md has the
-- same as a table of events. The most frequent reasons come first, because they are compared in order.
-- Callers: everyone
create or replace function kelpie.may_post(reason text, account kelpie.ledger_account) returns boolean
  language sql immutable parallel safe
  return case reason
    when 'payout.hold' then account in ('wallet', 'held')
    when 'payout.bank_accepted' then account in ('in_transit', 'bank_wallet')
    when 'payout.arrived' then account in ('held', 'in_transit', 'fx')
    when 'charge.payout_fees' then account in ('receivable', 'revenue')
    when 'charge.network_fees' then account in ('accrued', 'accrued_revenue')
    when 'payout.amount_taken' then account in ('in_transit', 'bank_wallet')
    when 'payout.rejected' then account in ('held', 'wallet', 'partner_receivable')
    when 'payout.not_created' then account in ('held', 'wallet', 'partner_receivable')
    when 'payout.released' then account in ('held', 'wallet', 'partner_receivable')
    when 'payout.refunded' then
      account in ('bank_wallet', 'exception_loss', 'suspense', 'in_transit', 'held', 'wallet', 'partner_receivable')
    when 'payout.cancelled' then
      account in ('bank_wallet', 'exception_loss', 'suspense', 'in_transit', 'held', 'wallet', 'partner_receivable')
    when 'payout.returned' then
      account in ('bank_wallet', 'in_transit', 'held', 'wallet', 'suspense', 'fx', 'partner_receivable')
    when 'credit.payout_fees' then account in ('revenue', 'credit_due')
    when 'credit.provider_fee' then account in ('revenue', 'credit_due')
    when 'charge.bank_exceptions' then account in ('receivable', 'revenue')
    when 'charge.monthly_account' then account in ('receivable', 'revenue')
    when 'charge.business_verification' then account in ('receivable', 'revenue')
    when 'invoice.issued' then account in ('accrued', 'accrued_revenue', 'receivable', 'revenue', 'credit_due')
    when 'invoice.paid' then account in ('cash', 'receivable')
    when 'invoice.voided' then account in ('revenue', 'receivable')
    when 'credit.voided_invoice' then account in ('revenue', 'credit_due')
    when 'deposit.credited' then account in ('bank_wallet', 'partner_receivable', 'wallet')
    when 'deposit.reversed' then account in ('wallet', 'partner_receivable', 'bank_wallet')
    when 'sandbox.float' then account in ('bank_wallet', 'wallet')
    when 'sandbox.closed' then account in ('bank_wallet', 'wallet')
    when 'float.top_up' then account in ('house_float', 'float_in_transit')
    when 'float.sweep' then account in ('bank_wallet', 'float_in_transit')
    when 'float.arrived' then account in ('bank_wallet', 'house_float', 'float_in_transit')
    when 'float.failed' then account in ('bank_wallet', 'house_float', 'float_in_transit')
    when 'correction' then account in ('bank_wallet', 'suspense', 'wallet', 'partner_receivable')
    else false
  end;
