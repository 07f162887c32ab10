-- What belongs to no module: rate limits, outgoing emails, the operators' audit log.

-- Token buckets that all api processes share. A process leases small lots and spends them in its own memory, so a request
-- as a rule writes nothing. Not logged: a commit that writes nothing else waits for no disk and no standby. After a crash
-- or a failover the table is empty and every bucket full.
create unlogged table kelpie.rate_buckets (
  subject text primary key check (char_length(subject) between 1 and 100),
  -- What was left at filled_at. It grows by per_second up to burst, which is worked out at the next lease.
  tokens double precision not null check (tokens >= 0),
  filled_at timestamptz not null,
  last_grant integer not null check (last_grant >= 0), -- squawk-ignore prefer-bigint-over-int
  per_second double precision not null check (per_second > 0),
  burst integer not null check (burst > 0) -- squawk-ignore prefer-bigint-over-int
  -- Room on each page, because a row is written many times per second and its key never changes.
) with (fillfactor = 40);
comment on table kelpie.rate_buckets is
  '@bounded @shared One row per key or address that was active lately: a job deletes full buckets.';
grant select, insert, update, delete on kelpie.rate_buckets to kelpie_access;

-- Emails on their way out. A row is written in the transaction that causes the email, together with the job that sends it.
create table kelpie.outgoing_mails (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z]+(-[a-z]+)*$' and char_length(kind) <= 40),
  -- One per event: a recipient can tell an email that was sent again from a new one.
  message_id text not null unique check (message_id ~ '^<[!-;=?-~]+@[a-z0-9.-]+>$' and char_length(message_id) <= 300),
  -- Recipient and text, encrypted. Deleted as soon as the email has ended, because it may hold a code or a name.
  content_encrypted bytea,
  created_at timestamptz not null,
  -- From when on it is of no use, as an expired code.
  expires_at timestamptz check (expires_at > created_at),
  sent_at timestamptz,
  refused_at timestamptz,
  given_up_at timestamptz,
  -- It waits with its content, or has ended without.
  constraint one_end_without_content check (num_nonnulls(content_encrypted, sent_at, refused_at, given_up_at) = 1)
);
comment on table kelpie.outgoing_mails is
  '@bounded @shared Emails of the last 30 days: a job deletes older ones. A sign-in code is for an address, not for a partner.';
create index outgoing_mails_waiting on kelpie.outgoing_mails (id) where content_encrypted is not null;
grant select, insert, delete, update (content_encrypted, sent_at, refused_at, given_up_at) on kelpie.outgoing_mails to kelpie_service;
grant select (id, kind, message_id, created_at, expires_at, sent_at, refused_at, given_up_at)
  on kelpie.outgoing_mails to kelpie_reader;

-- What operators do. Each act is a row, written in the act's own transaction, with a digest of itself and of the row
-- before it under a key that the database does not have. A row that was changed, removed or moved shows in
-- `kelpie-admin audit verify`, also where the owner of the tables did it.
create table kelpie.audit_log (
  seq bigint primary key check (seq > 0),
  -- Bounded, so that any row can be read, also one written without the key.
  at timestamptz not null check (at >= '2000-01-01 00:00:00+00' and at < '3000-01-01 00:00:00+00'),
  operator text not null check (operator ~ '^[A-Za-z0-9@._+-]{1,80}$'),
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  -- The id of what it was done to.
  subject text not null check (char_length(subject) between 1 and 200),
  -- What was requested, and why: JSON as it was written, because the digest is over its bytes.
  detail text not null check (char_length(detail) between 2 and 4000 and jsonb_typeof(detail::jsonb) = 'object'),
  previous_mac bytea not null check (octet_length(previous_mac) = 32),
  mac bytea not null check (octet_length(mac) = 32),
  -- The transaction that wrote it: an act checks it before it does anything.
  tx xid8 not null default pg_current_xact_id()
);
comment on table kelpie.audit_log is '@grows @kept-whole @shared One row per operator act. Its numbers have no gaps, so it is one table.';
select kelpie.make_insert_only('audit_log');
grant select on kelpie.audit_log to kelpie_reader;
grant select, insert on kelpie.audit_log to kelpie_access;
grant select (seq, operator, action, subject, tx) on kelpie.audit_log to kelpie_payouts;

-- Where the log ends, under the same key: it shows rows that were cut off. Writing a row locks it first.
create table kelpie.audit_head (
  only_row boolean primary key default true check (only_row),
  seq bigint not null check (seq >= 0),
  -- That of the last row; zeros before the first.
  mac bytea not null check (octet_length(mac) = 32),
  -- Of both; null until an operator begins the log (`kelpie-admin audit begin`).
  head_mac bytea check (octet_length(head_mac) = 32)
);
comment on table kelpie.audit_head is '@bounded @shared One row: where the audit log ends.';
insert into kelpie.audit_head (seq, mac) values (0, decode(repeat('00', 32), 'hex'));
grant select on kelpie.audit_head to kelpie_reader;
grant select, update (seq, mac, head_mac) on kelpie.audit_head to kelpie_access;
grant select (seq) on kelpie.audit_head to kelpie_payouts;
