-- Remembers the browser that an address signs in from, in the commit of the sign-in. Its next codes and guesses are its own.
-- A cookie that we gave out keeps its value, so that several people can share a browser. Any other is replaced by a new one:
--   nobody can choose the value.
-- Guarantees: at most ten browsers per address; the one that was not used for longest gives way.
-- Returns whether the address has signed in from it before, and whether the browser keeps its cookie.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.remember_browser(
  of_email_hmac bytea, of_browser_hmac bytea, new_browser_id uuid, new_browser_hmac bytea, at timestamptz,
  out is_known boolean, out keeps_cookie boolean
)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.browsers b set last_used_at = at where b.id = kelpie.find_browser(of_email_hmac, of_browser_hmac, at);
  is_known := found;
  keeps_cookie := is_known or exists (
    select from kelpie.browsers b where b.token_hmac = of_browser_hmac and b.last_used_at > at - interval '400 days'
  );
  if is_known then
    return;
  end if;
  delete from kelpie.browsers where id in (
    select b.id from kelpie.browsers b where b.email_hmac = of_email_hmac
    order by b.last_used_at desc, b.id desc offset 9
  );
  insert into kelpie.browsers (id, email_hmac, token_hmac, created_at, last_used_at)
  values (new_browser_id, of_email_hmac, case when keeps_cookie then of_browser_hmac else new_browser_hmac end, at, at)
  -- One that had expired.
  on conflict (email_hmac, token_hmac) do update set created_at = at, last_used_at = at;
end;
$$;
