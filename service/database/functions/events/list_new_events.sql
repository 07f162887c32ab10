-- The events of several partners after a number each: which resource each is about, in order, with the partner's place in the
-- arrays. Of partners without news it reads the counter alone, so thousands of them can be asked about at once.
-- Returns at most `at_most` rows in all. What is left is found after the numbers that these end with.
-- Callers: kelpie_service
create or replace function kelpie.list_new_events(
  partner_ids uuid[], environments kelpie.environment[], after_sequences bigint[], at_most integer
) returns table (place bigint, sequence bigint, subject_id uuid)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  feed bigint;
  room bigint := at_most;
  taken bigint;
begin
  for feed in
    select l.place from kelpie.last_event_sequences(partner_ids, environments) l
    where l.last_sequence > after_sequences[l.place]
    order by l.place
  loop
    -- Row security shows the events of one partner at a time.
    perform kelpie.set_partner_context(partner_ids[feed], environments[feed]);
    return query
      select feed, e.sequence, e.subject_id from kelpie.events e
      where e.partner_id = partner_ids[feed] and e.environment = environments[feed] and e.sequence > after_sequences[feed]
      order by e.sequence limit room;
    get diagnostics taken = row_count;
    room := room - taken;
    exit when room <= 0;
  end loop;
end;
$$;
