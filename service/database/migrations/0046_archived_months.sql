-- Months of payouts that are in files outside the database (docs/archive.md).

create table kelpie.archived_months (
  -- Its first day, in UTC.
  month date primary key check (extract(day from month) = 1),
  -- `writing`: being written, its rows no longer change. `archived`: the files are whole, and its partitions are dropped.
  -- `returning`: its rows are being loaded again; the files answer until they are attached.
  state text not null check (state in ('writing', 'archived', 'returning')),
  -- What the names of its files begin with. Another attempt has other files.
  name text not null unique check (name ~ '^[0-9]{4}-[0-9]{2}-[0-9a-f]{8}$'),
  began_at timestamptz not null,
  -- SHA-256 of the manifest, which has the digest of every block; and what proves that it is the one that was written.
  manifest_digest text check (manifest_digest ~ '^[0-9a-f]{64}$'),
  mac text check (mac ~ '^[0-9a-f]{64}$'),
  -- Of the rows themselves, made by the database: what returns must have it again.
  rows_digest text check (rows_digest ~ '^[0-9a-f]{64}$'),
  -- While it moves: how many payouts the database holds of it, and their digest.
  held_digest text,
  payouts bigint check (payouts >= 0),
  bytes bigint check (bytes >= 0),
  archived_at timestamptz,
  check (num_nulls(manifest_digest, mac, rows_digest, payouts, bytes, archived_at) = case state when 'writing' then 6 else 0 end)
);
comment on table kelpie.archived_months is '@bounded @shared One row per month in the archive.';
grant select on kelpie.archived_months to kelpie_service, kelpie_reader;
grant select, delete, update (held_digest, state, manifest_digest, mac, rows_digest, payouts, bytes, archived_at)
  on kelpie.archived_months to kelpie_payouts;
-- kelpie.archive_obstacle.
grant select on kelpie.closed_days to kelpie_payouts;
