-- Records a sign-in or sign-up code for an email address.
-- Guarantees: at most five codes per address and hour. It does the same work whether or not the address has an account,
--   so neither the answer nor its timing reveals that.
-- Locks: an advisory lock on the address's digest, until commit.
-- Returns 'added'; 'too_many' when the limit is reached; 'slug_taken' when a sign-up asks for another partner's slug.
--   Nothing is written unless it returns 'added'.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.add_sign_in_code(
  new_id uuid, of_email_hmac bytea, new_code_hmac bytea, new_mail_encrypted bytea, new_sign_up_slug text,
  new_sign_up_encrypted bytea, at timestamptz
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from kelpie.partners p where p.slug = new_sign_up_slug) then
    return 'slug_taken';
  end if;
  -- Concurrent requests are counted one after the other: both could pass the limit otherwise.
  perform pg_advisory_xact_lock(hashtextextended(encode(of_email_hmac, 'hex'), 0));
  if (
    select count(*) from kelpie.sign_in_codes c
    where c.email_hmac = of_email_hmac and c.created_at > at - interval '1 hour'
  ) >= 5 then
    return 'too_many';
  end if;
  insert into kelpie.sign_in_codes (id, email_hmac, code_hmac, mail_encrypted, sign_up_slug, sign_up_encrypted, created_at)
  values (new_id, of_email_hmac, new_code_hmac, new_mail_encrypted, new_sign_up_slug, new_sign_up_encrypted, at);
  return 'added';
end;
$$;
