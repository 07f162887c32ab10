-- Sets what the sandbox bank answers to a partner's next payment orders. Without an answer it answers as it does.
-- Callers: kelpie_service
-- Applied after: 0037
create or replace function kelpie.set_bank_answers(
  of_partner uuid, wanted kelpie.bank_answer, wanted_times integer, at timestamptz
) returns void
  -- It sets the partner whose rows it may see, for the rest of its transaction.
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'sandbox');
  if wanted is null then
    update kelpie.asked_bank_answers set times = 0, asked_at = at where partner_id = of_partner;
    return;
  end if;
  insert into kelpie.asked_bank_answers (partner_id, answer, times, asked_at)
  values (of_partner, wanted, wanted_times, at)
  on conflict (partner_id) do update
  set answer = excluded.answer, times = excluded.times, asked_at = excluded.asked_at;
end;
$$;
