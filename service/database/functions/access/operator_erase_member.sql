-- Erases a person who is no member of an open account any more: their address, name, networks and browsers. "erased" stands for
-- them in payouts, histories, activity, security events, freezes and events. `of_rows` are the ids of the rows that name
-- them, found before: no new ones come without a membership.
-- Guarantees: only what two operators decided. No amount, state or time changes.
-- Raises what take_proposal raises. Returns false, and changes nothing, for a member or contact of an account that is open, and
--   while a payout waits for approval that they, or a key of theirs, asked for.
-- Locks: the proposal, then rows that no request changes.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.operator_erase_member(
  of_proposal uuid, of_subject text, of_email text, of_email_hmac bytea, of_rows uuid[], at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'person.erase', of_subject, at);
  quoted text := to_jsonb(of_email)::text;
begin
  if exists (
    select from kelpie.partners p where p.closed_at is null and (
      of_email in (p.contact_email, p.billing_email)
      or exists (select from kelpie.members m where m.partner_id = p.id and m.email = of_email)
    )
  ) or exists (
    select from kelpie.payout_requests r where r.id = any (of_rows) and r.state = 'open'
  ) then
    return false;
  end if;
  perform kelpie.forget_member(of_email, of_email_hmac);
  update kelpie.partners p
  set contact_email = nullif(p.contact_email, of_email), billing_email = nullif(p.billing_email, of_email)
  where of_email in (p.contact_email, p.billing_email);
  update kelpie.payouts p set created_by = 'erased' where p.id = any (of_rows) and p.created_by = of_email;
  update kelpie.payout_history h set by = 'erased' where h.payout_id = any (of_rows) and h.by = of_email;
  update kelpie.payout_requests r
  set requested_by = case r.requested_by when of_email then 'erased' else r.requested_by end,
    requester = case r.requester when of_email then 'erased' else r.requester end,
    approved_by = case r.approved_by when of_email then 'erased' else r.approved_by end,
    declined_by = case r.declined_by when of_email then 'erased' else r.declined_by end
  where r.id = any (of_rows) and r.state <> 'open';
  update kelpie.approval_rules r
  set pending_by = null, pending_at = null, pending_above_pence = null, pending_new_payee = null, pending_api_key_ids = null
  where r.pending_by = of_email;
  update kelpie.activity a
  set by = kelpie.without_address(a.by, of_email), detail = kelpie.without_address(a.detail, of_email) where a.id = any (of_rows);
  update kelpie.activity_pages a set entries = replace(a.entries::text, quoted, '"erased"')::jsonb where a.id = any (of_rows);
  update kelpie.security_events e
  set network = case when e.by <> of_email then e.network end, browser = case when e.by <> of_email then e.browser end,
    by = kelpie.without_address(e.by, of_email), detail = kelpie.without_address(e.detail, of_email)
  where e.id = any (of_rows);
  update kelpie.events e
  set snapshot = replace(e.snapshot::text, quoted, '"erased"')::jsonb
    || case when e.snapshot ->> 'email' = of_email then '{"name": null}'::jsonb else '{}'::jsonb end
  where e.id = any (of_rows);
  update kelpie.payment_blocks b set by = 'erased', reason = 'frozen by its admin' where b.by = left(of_email, 80);
  update kelpie.payment_block_history b set by = 'erased', reason = 'frozen by its admin' where b.by = left(of_email, 80);
  delete from kelpie.erasure_requests r where r.proposal_id = of_proposal;
  return true;
end;
$$;
