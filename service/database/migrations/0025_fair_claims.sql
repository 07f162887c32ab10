-- Workers claim due payouts of one environment at a time, and partners take turns: claim_due_payouts says by which index.
-- The table holds open payouts only, so that each of these takes milliseconds.
-- squawk-ignore require-concurrent-index-creation
create index payout_leases_environment_due on kelpie.payout_leases (environment, due_at);
-- squawk-ignore require-concurrent-index-creation
create index payout_leases_turns on kelpie.payout_leases (environment, partner_id, due_at);
-- squawk-ignore require-concurrent-index-deletion
drop index kelpie.payout_leases_due;
