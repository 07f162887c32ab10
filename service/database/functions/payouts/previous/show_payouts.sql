-- A partner's newest payouts before an id, newest first.
-- Callers: everyone
create or replace function kelpie.show_payouts(of_partner uuid, of_environment kelpie.environment, before_id uuid, at_most integer)
  returns setof kelpie.shown_payout
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via,
      p.idempotency_key
    from kelpie.visible_payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id < before_id
    order by p.id desc limit at_most;
end;
$$;
