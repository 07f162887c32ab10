-- A payout that is shown names its idempotency key, so that partners can match it with their own order.
alter type kelpie.shown_payout add attribute idempotency_key text;
