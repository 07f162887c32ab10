-- Every column with values under a data key: how a row is named by an id, and the place that each value is bound to. A test
-- compares it with the schema. A known recipient has no id: it is named by its primary key, with bars between.
-- Callers: everyone
create or replace function kelpie.encrypted_columns() returns table (
  table_name text, column_name text, id_name text, place_table text, place_column text,
  -- An expression over the row.
  place_row text
)
  language sql immutable
as $$
  values
    ('payouts', 'recipient_encrypted', 'id', 'payouts', 'recipient_encrypted', 'id::text'),
    ('payout_requests', 'recipient_encrypted', 'id', 'payout_requests', 'recipient_encrypted', 'id::text'),
    ('payouts', 'bank_recipient_encrypted', 'id', 'known_recipients', 'id_encrypted',
      'concat_ws(''|'', partner_id, environment, encode(account_index, ''hex''))'),
    ('known_recipients', 'id_encrypted', null, 'known_recipients', 'id_encrypted',
      'concat_ws(''|'', partner_id, environment, encode(account_index, ''hex''))'),
    ('deposits', 'sender_encrypted', 'id', 'deposits', 'sender_encrypted', 'id::text'),
    ('funding_sources', 'details_encrypted', 'id', 'funding_sources', 'details_encrypted', 'id::text'),
    ('webhook_endpoints', 'secret_encrypted', 'id', 'webhook_endpoints', 'secret', 'id::text'),
    ('webhook_endpoints', 'previous_secret_encrypted', 'id', 'webhook_endpoints', 'secret', 'id::text'),
    ('outgoing_mails', 'content_encrypted', 'id', 'outgoing_mails', 'content_encrypted', 'id::text'),
    ('sign_in_codes', 'mail_encrypted', 'id', 'sign_in_codes', 'mail_encrypted', 'id::text'),
    ('sign_in_codes', 'sign_up_encrypted', 'id', 'sign_in_codes', 'sign_up_encrypted', 'id::text'),
    ('erasure_requests', 'email_encrypted', 'proposal_id', 'erasure_requests', 'email_encrypted', 'proposal_id::text')
$$;
