-- How many payment orders of a partner the sandbox bank still answers as the partner asked.
-- Callers: kelpie_service
-- Applied after: 0037
create or replace function kelpie.count_bank_answers(of_partner uuid) returns integer
  -- It sets the partner whose rows it may see, for the rest of its transaction.
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'sandbox');
  return coalesce((select a.times from kelpie.asked_bank_answers a where a.partner_id = of_partner), 0);
end;
$$;
