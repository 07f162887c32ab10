-- Trigger function that makes a table insert-only. It runs before update or delete on each row, and before truncate.
-- Only an erasure changes a row: who did it and from where, in tables that explain no money, and who in payout_history. A change
-- of keys replaces the ciphertext of a known recipient, and the digests of accounts.
-- The truncate trigger must be named never_emptied: make_month_partition looks for that name to add it to each partition.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_change() returns trigger
  language plpgsql
as $$
declare
  erasable text[];
  rekeyed text[];
begin
  if tg_op = 'UPDATE' and current_user = 'kelpie_payouts' then
    rekeyed := case tg_table_name
      when 'known_recipients' then '{account_index,id_encrypted}'
      when 'paid_accounts' then '{account_index}'
    end;
    if to_jsonb(new) - rekeyed = to_jsonb(old) - rekeyed
      and ((to_jsonb(new) ->> 'id_encrypted') is null) = ((to_jsonb(old) ->> 'id_encrypted') is null) then
      if kelpie.is_key_rotation() then
        return new;
      end if;
    end if;
    erasable := case regexp_replace(tg_table_name, '_[0-9]{4}_[0-9]{2}$', '')
      when 'payout_history' then '{by}'
      when 'activity' then '{by,detail}'
      when 'activity_pages' then '{entries}'
      when 'security_events' then '{by,detail,network,browser}'
      when 'payment_block_history' then '{reason,by}'
      when 'events' then '{snapshot}'
    end;
    if to_jsonb(new) - erasable = to_jsonb(old) - erasable then
      -- Only a row of payout_history has a payout.
      perform kelpie.require_month_here((to_jsonb(new) ->> 'payout_id')::uuid);
      if kelpie.is_erasure() or kelpie.is_past_recipient_retention((to_jsonb(new) ->> 'payout_id')::uuid) then
        return new;
      end if;
    end if;
  end if;
  raise exception '% is insert-only: a mistake is corrected by another row', tg_table_name using errcode = 'restrict_violation';
end;
$$;
