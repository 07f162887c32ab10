-- list_wallet_movements replaces it: it also names the deposit, and the result of a function can't change under its name.
drop function if exists kelpie.list_movements(
  uuid, kelpie.environment, timestamptz, timestamptz, bigint, bigint, integer
);
