-- Takes the next answer that a partner asked its sandbox bank for, and counts it. Null if none is left. Processes that ask at
-- the same time take one each: the row is locked while it is counted.
-- Callers: kelpie_service
-- Applied after: 0037
create or replace function kelpie.take_bank_answer(of_partner uuid) returns kelpie.bank_answer
  -- It sets the partner whose rows it may see, for the rest of its transaction.
  language plpgsql volatile
as $$
declare
  taken kelpie.bank_answer;
begin
  perform kelpie.set_partner_context(of_partner, 'sandbox');
  update kelpie.asked_bank_answers set times = times - 1 where partner_id = of_partner and times > 0
  returning answer into taken;
  return taken;
end;
$$;
