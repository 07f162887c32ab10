-- Appends an entry to the audit log and moves the log's head to it.
-- Guarantees: entries form one chain. An entry that doesn't continue from the current head raises check_violation.
--   Its operator is the login that acts (see operator_login); another name raises insufficient_privilege.
-- Locks: the head of the audit log, until commit.
-- Owner: kelpie_access
-- Callers: kelpie_operator, kelpie_service
create or replace function kelpie.append_audit(
  new_seq bigint, new_at timestamptz, new_operator text, new_action text, new_subject text, new_detail text,
  new_previous_mac bytea, new_mac bytea, new_head_mac bytea, voucher bytea
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  head record;
begin
  if new_operator is distinct from kelpie.operator_login(voucher) then
    raise exception 'an entry in the name of another operator' using errcode = 'insufficient_privilege';
  end if;
  select h.seq, h.mac into strict head from kelpie.audit_head h for no key update;
  if (head.seq + 1, head.mac) is distinct from (new_seq, new_previous_mac) then
    raise exception 'a row that does not follow from the last one' using errcode = 'check_violation';
  end if;
  insert into kelpie.audit_log (seq, at, operator, action, subject, detail, previous_mac, mac)
  values (new_seq, new_at, new_operator, new_action, new_subject, new_detail, new_previous_mac, new_mac);
  update kelpie.audit_head h set seq = new_seq, mac = new_mac, head_mac = new_head_mac;
end;
$$;
