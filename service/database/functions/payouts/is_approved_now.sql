-- Whether an admin approved a payout request within the last minute, and it can still be paid. The commit that creates its
-- payout asks, and so does the one that finds its caller.
-- Callers: kelpie_payouts
create or replace function kelpie.is_approved_now(r kelpie.payout_requests, at timestamptz) returns boolean
  language sql stable
as $$
  select r.state = 'open' and r.expires_at > at and r.approved_at between at - interval '1 minute' and at + interval '1 minute'
    and exists (
      select from kelpie.members m where m.partner_id = r.partner_id and m.email = r.approved_by and m.role = 'admin'
    )
$$;
