-- A payout with its history as one line of the archive. Instants are written in the time zone of the session: UTC, for callers.
-- Callers: everyone
create or replace function kelpie.archived_line(payout jsonb, history jsonb) returns text
  language sql immutable parallel safe
  return jsonb_build_object('payout', payout, 'history', coalesce(history, '[]'))::text;
