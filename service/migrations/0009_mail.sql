-- Mails on their way out. A row is written in the transaction that causes the mail, together with the job that sends it:
-- either both are there or neither is.
create table kelpie.outgoing_mails (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z]+(-[a-z]+)*$' and char_length(kind) <= 40),
  -- One event has one: a mail that had to be sent again can be told from a new one by whoever receives it.
  message_id text not null unique check (message_id ~ '^<[!-;=?-~]+@[a-z0-9.-]+>$' and char_length(message_id) <= 300),
  -- To whom, and what it says. A code or a name must not lie around, so it goes as soon as the mail's end is known.
  content_sealed bytea,
  created_at timestamptz not null,
  -- From when on it is of no use to anybody, as a code that is over.
  expires_at timestamptz check (expires_at > created_at),
  sent_at timestamptz,
  refused_at timestamptz,
  given_up_at timestamptz,
  -- It waits with its content, or is at one of its ends without.
  constraint one_end_without_content check (num_nonnulls(content_sealed, sent_at, refused_at, given_up_at) = 1)
);
comment on table kelpie.outgoing_mails is
  '@bounded @shared The mails of the last 30 days: a job deletes what is older. A code to sign in is for an address, not for a partner.';

-- Those that still wait; as a rule a handful.
create index outgoing_mails_waiting on kelpie.outgoing_mails (id) where content_sealed is not null;

grant select, insert, delete on kelpie.outgoing_mails to kelpie_service;
grant update (content_sealed, sent_at, refused_at, given_up_at) on kelpie.outgoing_mails to kelpie_service;
grant select (id, kind, message_id, created_at, expires_at, sent_at, refused_at, given_up_at)
  on kelpie.outgoing_mails to kelpie_reader;
