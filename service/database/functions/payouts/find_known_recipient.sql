-- Finds the bank's id of a recipient, encrypted, by the account it is of. Null where the bank does not know the account, as far
-- as we know, or no longer.
-- Callers: kelpie_service
create or replace function kelpie.find_known_recipient(
  of_partner uuid, of_environment kelpie.environment, of_account bytea
) returns bytea
  -- It sets the partner whose rows it may see, for the rest of its transaction.
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return (
    select r.id_encrypted from kelpie.known_recipients r
    where r.partner_id = of_partner and r.environment = of_environment and r.account_index = of_account
    order by r.number desc limit 1
  );
end;
$$;
