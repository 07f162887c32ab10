-- Whether a partner sees a payout in this state: the one definition in the database. The view visible_payouts uses it.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.is_visible(state kelpie.payout_state) returns boolean
  language sql immutable parallel safe
  return state not in ('sending', 'not_created');
