-- The part of create_payouts for payouts that are not simply new orders of API keys: claims those of persons, takes over the
-- keys of attempts of which nothing was sent, and says why each other one was not claimed.
--
-- Guarantees: of several retries of one attempt, one is claimed; an attempt that changed since resolve_used_order looked at it
--   is not taken over. A retried key is only locked: create_payouts rewrites it once the payout is granted.
-- Returns outcomes (null where claimed) and claims, each by place.
-- Locks: keys, in order, each with the attempt that it stands for.
-- Callers: kelpie_payouts
create or replace function kelpie.claim_others(
  inout is_claimed boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  caller_ids uuid[],
  payout_ids uuid[],
  order_ids uuid[],
  keys text[],
  fingerprints bytea[],
  instants timestamptz[],
  created_vias text[],
  created_bys text[],
  rails kelpie.rail[],
  retry_places integer[],
  retried_payouts uuid[],
  retried_revisions integer[],
  confirmation_places integer[],
  out outcomes text[]
)
  language plpgsql volatile
as $$
declare
  item record;
begin
  for item in
    select i.place, i.partner_id, i.environment, i.order_id, i.via, r.payout_id as retried_payout, r.revision as retried_revision,
      c.caller_id is null or (
        c.needs_confirmation and i.place <> all (confirmation_places) and not exists (
          -- Approving it took a code.
          select from kelpie.payout_requests r where r.order_id = i.order_id and kelpie.is_approved_now(r, i.instant)
        )
      ) as is_unauthorized,
      (select b.outcome from kelpie.payment_block(c.partner_status, i.partner_id, i.environment, i.rail) b) as block
    from unnest(partner_ids, environments, caller_ids, order_ids, instants, created_vias, created_bys, rails) with ordinality
      as i (partner_id, environment, caller_id, order_id, instant, via, created_by, rail, place)
    left join unnest(retry_places, retried_payouts, retried_revisions) as r (place, payout_id, revision)
      on r.place = i.place
    left join lateral kelpie.payout_caller(
      i.via, i.caller_id, i.partner_id, i.environment, i.created_by, i.instant
    ) c on true
    where not is_claimed[i.place]
    order by i.order_id
  loop
    if item.is_unauthorized then
      outcomes[item.place] := 'unauthorized';
      continue;
    end if;
    if item.retried_payout is not null then
      perform from kelpie.idempotency_keys k
      where k.order_id = item.order_id and k.payout_id = item.retried_payout
        and k.partner_id = item.partner_id and k.environment = item.environment
      for no key update;
      if found then
        -- Locked, so that a transition of the attempt that is under way is waited for, and then seen.
        perform from kelpie.payouts p
        where p.id = item.retried_payout and p.state = 'not_created' and p.revision = item.retried_revision
        for share;
        is_claimed[item.place] := found;
      end if;
    elsif item.via = 'dashboard' and item.block is null then
      insert into kelpie.idempotency_keys (
        order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at, claimed_at
      )
      values (
        item.order_id, item.partner_id, item.environment, keys[item.place], payout_ids[item.place],
        fingerprints[item.place], instants[item.place], instants[item.place]
      )
      on conflict (order_id) do nothing;
      is_claimed[item.place] := found;
    end if;
    outcomes[item.place] := case
      -- A payout that exists is answered before anything about the partner.
      when not is_claimed[item.place] and exists (select from kelpie.idempotency_keys k where k.order_id = item.order_id)
        then 'taken'
      when item.block is not null then item.block
      -- The key was released between the claim and this look.
      when not is_claimed[item.place] then 'taken'
    end;
    is_claimed[item.place] := outcomes[item.place] is null;
  end loop;
end;
$$;
