-- Records a security event that is no act of ours to commit with: a refused sign-in. Safe to repeat.
-- Callers: everyone
create or replace function kelpie.record_security_event(
  new_id uuid, of_partner uuid, of_action text, of_status integer, of_by text, of_detail text, from_network text,
  from_browser text
) returns void
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'sandbox');
  insert into kelpie.security_events (id, partner_id, action, status, by, detail, network, browser)
  values (new_id, of_partner, of_action, of_status, of_by, of_detail, from_network::cidr, from_browser)
  on conflict do nothing;
end;
$$;
