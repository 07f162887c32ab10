-- Trigger function that keeps a proposal as it was proposed. Only deciding changes it, once.
-- Applied after: 0017
-- Callers: everyone
create or replace function kelpie.refuse_proposal_change() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'a proposal is kept' using errcode = 'restrict_violation';
  end if;
  if old.outcome is not null then
    raise exception 'a proposal is decided once' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.action, new.subject, new.revision, new.detail, new.proposed_by, new.proposed_at, new.expires_at)
    is distinct from
    (old.id, old.action, old.subject, old.revision, old.detail, old.proposed_by, old.proposed_at, old.expires_at) then
    raise exception 'a proposal does not change' using errcode = 'restrict_violation';
  end if;
  return new;
end;
$$;
