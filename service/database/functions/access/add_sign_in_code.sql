-- Records a sign-in or sign-up code for an email address.
-- Guarantees: at most five codes per hour for each browser that the address has signed in from before, and five for all
--   other browsers together. A stranger who uses up those five takes none from the person's own browser. It does the same
--   work whether or not the address has an account, so neither the answer nor its timing reveals that.
-- Locks: an advisory lock on the browser or on the address's digest, until commit.
-- Returns 'added'; 'too_many' when the limit is reached; 'slug_taken' when a sign-up asks for another partner's slug.
--   Nothing is written unless it returns 'added'.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.add_sign_in_code(
  new_id uuid, of_email_hmac bytea, of_browser_hmac bytea, new_code_hmac bytea, new_mail_encrypted bytea,
  new_sign_up_slug text, new_sign_up_encrypted bytea, at timestamptz
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  known uuid;
begin
  if exists (select from kelpie.partners p where p.slug = new_sign_up_slug) then
    return 'slug_taken';
  end if;
  known := kelpie.find_browser(of_email_hmac, of_browser_hmac, at);
  -- Concurrent requests are counted one after the other: both could pass the limit otherwise.
  perform pg_advisory_xact_lock(hashtextextended(coalesce(known::text, encode(of_email_hmac, 'hex')), 0));
  if (
    select count(*) from kelpie.sign_in_codes c
    where c.email_hmac = of_email_hmac and c.browser_id is not distinct from known and c.created_at > at - interval '1 hour'
  ) >= 5 then
    return 'too_many';
  end if;
  insert into kelpie.sign_in_codes (
    id, email_hmac, browser_id, code_hmac, mail_encrypted, sign_up_slug, sign_up_encrypted, created_at
  )
  values (new_id, of_email_hmac, known, new_code_hmac, new_mail_encrypted, new_sign_up_slug, new_sign_up_encrypted, at);
  return 'added';
end;
$$;
