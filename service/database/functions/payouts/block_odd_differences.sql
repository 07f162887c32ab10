-- Blocks payments after the bank debited oddly more or less for payouts than expected: the payout's partner first, in the
-- payout's environment; the whole rail once the differences of the last 24 hours add up. Part of apply_transitions.
--
-- One odd payout is the partner's own, as a payment that was changed at the bank. Several partners at once, or a sum that
-- hurts, say that our rate is not the bank's: then each further payout loses money.
-- Locks: payment_blocks against other writers, so that two commits see each other's differences.
-- Callers: kelpie_payouts
create or replace function kelpie.block_odd_differences(payout_ids uuid[], at timestamptz) returns void
  language plpgsql volatile
as $$
declare
  -- About what one payout of the largest amount costs us at a rate that is 10 % off.
  most_in_all constant bigint := 2500000000;
  -- Less is enough where it is not one partner's.
  most_of_several constant bigint := 1000000000;
  several constant integer := 3;
  odd record;
  total record;
begin
  lock table kelpie.payment_blocks in share row exclusive mode;
  for odd in
    select p.id, p.partner_id, p.environment, p.rail,
      abs(p.bank_debited_micro_usdc - p.wallet_debit_micro_usdc) as difference
    from unnest(payout_ids) as item (id) join kelpie.payouts p on p.id = item.id
    order by p.id
  loop
    perform kelpie.add_payment_block(
      'partner_paused', null, odd.partner_id, odd.environment,
      format('The bank debited %s USDC more or less than expected for payout %s.', round(odd.difference / 1e6, 2), odd.id),
      at, 'kelpie', coalesce(odd.difference, 0)
    );
    select sum(h.difference_micro_usdc) as difference, count(distinct h.partner_id) as partners into total
    from kelpie.payment_block_history h
    where h.environment = odd.environment and h.difference_micro_usdc is not null
      and h.at > block_odd_differences.at - interval '24 hours';
    if total.difference > most_in_all or (total.difference > most_of_several and total.partners >= several) then
      perform kelpie.add_payment_block(
        'rail_paused', odd.rail, null, null,
        format(
          'The bank debited %s USDC more or less than expected in 24 hours, for %s partners.',
          round(total.difference / 1e6, 2), total.partners
        ),
        at, 'kelpie'
      );
    end if;
  end loop;
end;
$$;
