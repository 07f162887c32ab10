-- Which of an account's digests the partner's rows have, during a change of index keys: the first under which the account is known at
-- the bank or was paid. The first of all where it is new.
-- Callers: kelpie_service
create or replace function kelpie.find_account_index(
  of_partner uuid, of_environment kelpie.environment, digests bytea[]
) returns bytea
  -- It sets the partner whose rows it may see, for the rest of its transaction.
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return coalesce(
    (
      select item.digest from unnest(digests) with ordinality as item (digest, place)
      where exists (
        select from kelpie.known_recipients r
        where r.partner_id = of_partner and r.environment = of_environment and r.account_index = item.digest
      ) or exists (
        select from kelpie.paid_accounts a
        where a.partner_id = of_partner and a.environment = of_environment and a.account_index = item.digest
      )
      order by item.place limit 1
    ),
    digests[1]
  );
end;
$$;
