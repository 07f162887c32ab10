-- What partners asked their sandbox bank to answer to their next payment orders. Live never reads it.

create type kelpie.bank_answer as enum ('lost', 'slow', 'refused', 'unavailable');

create table kelpie.asked_bank_answers (
  partner_id uuid primary key references kelpie.partners (id),
  answer kelpie.bank_answer not null,
  -- How many orders are still answered so.
  times integer not null check (times between 0 and 100), -- squawk-ignore prefer-bigint-over-int
  asked_at timestamptz not null
);
comment on table kelpie.asked_bank_answers is '@bounded One row per partner that ever asked for an answer.';
select kelpie.protect_partner_table('asked_bank_answers', scope => 'partner');
grant select, insert, update (answer, times, asked_at) on kelpie.asked_bank_answers to kelpie_service;
grant select on kelpie.asked_bank_answers to kelpie_reader;
